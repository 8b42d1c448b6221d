import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCommand } from './open-command.js'

test.each([
  [join(homedir(), '.signalbox'), {}, 'signalbox open'],
  ['/data/box', { SIGNALBOX_HOME: '/data/box' }, 'signalbox open'],
  ['/tmp/signalbox-demo-a1', {}, 'signalbox open --home /tmp/signalbox-demo-a1'],
  [`/tmp/it's here`, {}, `signalbox open --home '/tmp/it'\\''s here'`],
])('%s is opened with a command that finds it', (home, env, command) => {
  expect(openCommand(home, env, 'signalbox')).toBe(command)
})
