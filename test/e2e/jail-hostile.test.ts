/**
 * The jail as the second net, with the real CLI: the policy is made to allow every command that it once allowed wrongly.
 * Each runs in the jail or not at all, and none of them changes a file, shows a secret or opens a connection.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type * as Evaluate from '../../src/policy/evaluate.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import { aPerson } from '../support/build.js'
import { hostileCommands } from '../support/escape-attempts.js'
import { hasBubblewrap, SECRET_VALUE } from '../support/jail.js'
import { CANARY, setTheStage } from '../support/jail-stage.js'
import { createRealRuntime, makeFolders } from '../support/real-runtime.js'

/** As what every command is allowed: proven to read only, or for the jail alone. Null: the policy decides. */
const forced = vi.hoisted(() => ({ as: null as 'proven' | 'jail' | null }))

vi.mock('../../src/policy/evaluate.js', async (load) => {
  const real = await load<typeof Evaluate>()
  const evaluate: typeof real.evaluate = (call, policy) => {
    const allowed: ReturnType<typeof evaluate> = {
      verdict: 'allow',
      step: 'autoAllow',
      rule: 'read-only',
      reason: '',
      part: null,
    }
    if (call.tool !== 'Bash' || forced.as === null) return real.evaluate(call, policy)
    if (forced.as === 'proven') return allowed
    return call.jail ? { ...allowed, rule: 'jail', jail: true } : real.evaluate(call, policy)
  }
  return { ...real, evaluate }
})

beforeEach(() => {
  forced.as = null
})

async function setup(choose: (command: string) => boolean, config: { readOnlyJail?: 'off' } = {}) {
  const place = await makeFolders()
  const { stage, traces } = await setTheStage(place, [place.home, join(place.folder, 'claude')])
  const commands = hostileCommands(stage).filter(choose)
  const rules = commands.map((command, index) => ({
    when: index === 0 ? { user: 'go' } : { toolResult: '*' },
    times: 1,
    reply: [{ tool: 'Bash', input: { command }, id: `toolu_${index}` }],
  }))
  const env = { ANTHROPIC_API_KEY: SECRET_VALUE }
  const runtime = await createRealRuntime(
    place,
    { rules: [...rules, { reply: [{ text: 'Done.' }] }] },
    { readOnlyJail: 'auto', ...config },
    env,
  )
  await runtime.runtime.jail.verify()

  /** In this mode a call that the policy would ask about is denied. */
  async function run() {
    const { id } = await runtime.hub.createSession(
      { cwd: runtime.cwd, prompt: 'go', permissionMode: 'dontAsk' },
      aPerson,
    )
    const hasEnded = async () => {
      const { turns, turn } = await runtime.hub.session(id)
      return turns > 0 && turn === null
    }
    await expect.poll(hasEnded, { timeout: 280_000, interval: 100 }).toBe(true)
    return runtime.events(id)
  }
  const isShown = (secret: string) =>
    commands.filter((_, index) => runtime.resultOf(`toolu_${index}`)?.text.includes(secret))
  return { runtime, commands, traces, run, isShown }
}

const callsOf = (events: readonly SessionEvent[], type: 'tool.started' | 'tool.ended') =>
  events.flatMap((event) => (event.type === type ? [event.data] : []))

describe.skipIf(!hasBubblewrap)('commands that were once allowed wrongly', () => {
  test.each(['jail', 'proven'] as const)(
    'do nothing when they are allowed again, as %s',
    { timeout: 300_000 },
    async (as) => {
      // A proven command whose program is in no folder of the system runs outside: see docs/policy.md.
      const { commands, traces, run, isShown } = await setup(
        (command) => as === 'jail' || !/^(?:rustc|mvn) /.test(command),
      )
      const before = await traces()
      forced.as = as

      const events = await run()

      expect(callsOf(events, 'tool.ended')).toHaveLength(commands.length)
      const started = callsOf(events, 'tool.started').map((data) => ({ jail: false, ...data }))
      expect(started.length).toBeGreaterThan(40)
      const outside = started.filter(({ jail }) => !jail)
      expect(outside.map(({ toolUseId }) => commands[Number(toolUseId.slice(6))])).toEqual([])
      expect([isShown(CANARY), isShown(SECRET_VALUE)]).toEqual([[], []])
      expect(await traces()).toEqual(before)
    },
  )

  test('do harm without the jail: the stage is real', { timeout: 120_000 }, async () => {
    const chosen = ['ls [$(touch pwned)]*', `cat $(find . -name '*nv')`, 'cat <<< $ANTHROPIC_API_KEY']
    const { runtime, commands, run, isShown } = await setup((command) => chosen.includes(command), {
      readOnlyJail: 'off',
    })
    forced.as = 'proven'

    await run()

    expect(commands).toEqual(chosen)
    expect(existsSync(join(runtime.cwd, 'pwned'))).toBe(true)
    expect([isShown(CANARY), isShown(SECRET_VALUE)]).toEqual([[chosen[1]], [chosen[2]]])
  })
})
