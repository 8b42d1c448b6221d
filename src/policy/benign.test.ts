/** Commands that only read: the policy must allow nearly all of them, and must deny none. */

import { expect, test } from 'vitest'
import { benignMisses, judgeBenign } from '../../bench/policy-benign.js'
import { BENIGN } from '../../test/support/benign/command.js'
import { ONLY_JAILED } from '../../test/support/benign/jailed.js'
import { PROJECT, PROJECT_WITH_ENV } from '../../test/support/benign/project.js'

test('no benign command is listed twice', () => {
  const commands = Object.values(BENIGN).flat()
  expect(new Set(commands).size).toBe(commands.length)
  expect(commands.length).toBeGreaterThanOrEqual(450)
})

test.each([
  ['without protected files', PROJECT],
  ['beside a protected file', PROJECT_WITH_ENV],
])('what only reads is never denied %s', (_, files) => {
  const denied = [true, false].flatMap((jail) =>
    benignMisses(files, { jail }).filter(({ verdict }) => verdict.verdict === 'deny'),
  )
  expect(denied).toEqual([])
})

test.each([
  ['by proof alone', false, 0.05],
  ['with the jail', true, 0.01],
])('few benign commands are asked about %s', (_, jail, share) => {
  const misses = benignMisses(PROJECT, { jail }).map(({ command }) => command)
  expect(misses.length / Object.values(BENIGN).flat().length, misses.join('\n')).toBeLessThan(share)
})

test.each(ONLY_JAILED)('only with the jail: %s', (command) => {
  expect(judgeBenign(command, PROJECT)).toMatchObject({ verdict: 'ask' })
  expect(judgeBenign(command, PROJECT, { jail: true })).toMatchObject({ verdict: 'allow', jail: true })
})
