/** The variables of a command in the jail. */

import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { jailEnvironment } from '../jail-environment.js'

test('git takes a folder of ordinary files for a repository only when it is named', () => {
  const setting = execFileSync('git', ['config', '--get', 'safe.bareRepository'], {
    env: jailEnvironment({ ...process.env, HOME: '/nonexistent' }),
    encoding: 'utf8',
  })
  expect(setting.trim()).toBe('explicit')
})
