import { expect, test } from 'vitest'
import { jailEnvironment } from './jail-environment.js'

test('only listed variables get in, and only with a value of their kind', () => {
  const env = jailEnvironment({
    PATH: '/w/bin:/usr/bin',
    HOME: '/home/dev',
    LC_ALL: 'ko_KR.UTF-8',
    LC_API_TOKEN: 'secret',
    TZ: 'key=<secret>',
    ANTHROPIC_API_KEY: 'secret',
  })

  expect(env).toMatchObject({ PATH: '/usr/bin', HOME: '/home/dev', LC_ALL: 'ko_KR.UTF-8' })
  expect(Object.keys(env)).not.toContain('TZ')
  expect(JSON.stringify(env)).not.toContain('secret')
})
