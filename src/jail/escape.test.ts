/** Nothing gets out of the jail: neither by attempts to escape nor by commands that a policy once allowed wrongly. */

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { escapeAttempts, hostileCommands, type Stage } from '../../test/support/escape-attempts.js'
import {
  hasBubblewrap,
  type JailPlace,
  makeJailPlace,
  runAsCli,
  runJailed,
  SECRET_VALUE,
} from '../../test/support/jail.js'
import { CANARY, setTheStage } from '../../test/support/jail-stage.js'
import { share } from '../../test/support/when-done.js'

const NOWHERE: Stage = { ws: '/w', outside: '/o', home: '/h', port: 1, socket: '/s', fifo: '/f', pid: 1 }

async function setup() {
  const place = await makeJailPlace()
  const { stage, traces } = await setTheStage(place, [join(place.home, 'jail')])
  return { place, stage, traces }
}

/** As the CLI would, in a shell that has secrets in its environment and open descriptors to them. */
async function attempt(command: string, place: JailPlace, stage: Stage): Promise<string> {
  const wrapped = await place.jail.wrap({
    command,
    cwd: stage.ws,
    workspace: stage.ws,
    env: { PATH: process.env['PATH'], HOME: place.folder, ANTHROPIC_API_KEY: SECRET_VALUE },
  })
  if ('problem' in wrapped) throw new Error(wrapped.problem.code)
  const opened = `exec 7<${stage.outside}/kept 8<${stage.home}/kept-secret 12<${stage.ws}/.env; `
  return (await runAsCli(opened + wrapped.command, place)).output.toString('latin1')
}

describe.skipIf(!hasBubblewrap)('out of the jail', () => {
  const shared = share(setup, 60_000)
  const names = Object.keys(escapeAttempts(NOWHERE))

  test('there are many attempts', () => {
    expect(names.length).toBeGreaterThanOrEqual(120)
  })

  test.each(names)('by %s: no', { timeout: 60_000 }, async (name) => {
    const { place, stage, traces } = shared()
    const before = await traces()

    const output = await attempt(escapeAttempts(stage)[name] ?? '', place, stage)

    expect(output).not.toContain(CANARY)
    expect(output).not.toContain(SECRET_VALUE)
    expect(output).not.toMatch(/\bGOT\b/)
    expect(await traces()).toEqual(before)
  })

  test.each(hostileCommands(NOWHERE).map((command, index) => [command, index] as const))(
    'a hostile command that was allowed does nothing: %s',
    { timeout: 60_000 },
    async (_, index) => {
      const { place, stage, traces } = shared()
      const before = await traces()

      const output = await attempt(hostileCommands(stage)[index] ?? '', place, stage)

      expect(output).not.toContain(CANARY)
      expect(output).not.toContain(SECRET_VALUE)
      expect(await traces()).toEqual(before)
    },
  )

  test('the stage is real: outside the jail the same attempts do get through', async () => {
    const { place, stage } = shared()
    const { cwd, folder } = place
    const plain = async (command: string) =>
      (await runAsCli(command, { cwd, folder })).output.toString('latin1')

    expect(await plain(`cat .env ${stage.outside}/kept twin.txt sub/twin-of-token link-out`)).toContain(
      CANARY,
    )
    expect(await plain('cat <<< $ANTHROPIC_API_KEY')).toContain(SECRET_VALUE)
    expect(await plain('git show HEAD:.env')).toContain(CANARY)
    expect(await plain(`kill -0 ${stage.pid} && echo GOT`)).toContain('GOT')
  })

  test('what may be read is read', async () => {
    const { place } = shared()
    expect((await runJailed('cat README.md sub/a.txt', place)).output.toString()).toBe('plain\nplain\n')
  })
})
