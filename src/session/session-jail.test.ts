import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import type { Jail } from '../jail/jail.js'
import type { EventDraft } from '../protocol/event.js'
import type { JailStatus } from '../protocol/jail.js'
import { JAIL_NOTE, type JailSettings, jailSettingsAt, SessionJail } from './session-jail.js'

interface Setup {
  state?: JailStatus['state']
  settings?: Partial<JailSettings>
  obstacle?: string | null
  problem?: string
}

async function setup({ state = 'verified', settings = {}, obstacle = null, problem }: Setup = {}) {
  const workspace = await temporaryFolder()
  const written: EventDraft[] = []
  const status: JailStatus = {
    state,
    kind: 'bubblewrap',
    reason: state === 'verified' ? null : 'No bubblewrap.',
  }
  const jail: Jail = {
    status,
    verify: async () => status,
    wrap: async ({ command }) => (problem === undefined ? { command: `jail(${command})` } : { problem }),
    close: async () => {},
  }
  const sessionJail = new SessionJail({
    jail,
    workspace,
    env: { PATH: '/usr/bin:/bin' },
    settings: async () => ({ setting: 'auto', unproven: 'jail', ...settings }),
    obstacle: () => obstacle,
    write: (drafts) => written.push(...drafts),
  })
  const call = (command: string) => ({ toolUseId: 'toolu_1', name: 'Bash', input: { command, timeout: 5 } })
  return { sessionJail, written, call }
}

const after = (command: string) => ({
  hook_event_name: 'PostToolUse',
  tool_use_id: 'toolu_1',
  tool_input: { command, timeout: 5 },
})

test('a command is wrapped, and everybody but the CLI sees it as it was', async () => {
  const { sessionJail, call, written } = await setup()

  expect(await sessionJail.wrap(call('ls'), ['ls'], true)).toEqual({
    input: { command: 'jail(ls)', description: 'ls', timeout: 5 },
  })
  expect(sessionJail.after(after('jail(ls)'))).toEqual({ event: after('ls'), note: null })
  expect(written).toEqual([])
})

test('only what is not proven carries the line for the agent', async () => {
  const { sessionJail, call } = await setup()
  await sessionJail.wrap(call('ls'), ['ls'], false)

  expect(sessionJail.after(after('jail(ls)')).note).toBe(JAIL_NOTE)
})

test('a command that ran otherwise is told and recorded, and the jail is off from then on', async () => {
  const { sessionJail, call, written } = await setup()
  await sessionJail.wrap(call('ls'), ['ls'], false)

  expect(sessionJail.after(after('rm -rf src'))).toEqual({ event: after('rm -rf src'), note: null })

  await expect.poll(() => written.length).toBe(2)
  expect(written).toMatchObject([
    { type: 'notice.raised', data: { level: 'error', topic: 'jail' } },
    {
      type: 'session.changed',
      data: { jail: { isOn: false, reason: expect.stringContaining('did not run') } },
    },
  ])
  expect(await sessionJail.wrap(call('ls'), ['ls'], true)).toMatchObject({ problem: expect.any(String) })
})

test('a person who is asked sees the command of the agent, and what they allow runs as it is', async () => {
  const { sessionJail, call } = await setup()
  await sessionJail.wrap(call('ls'), ['ls'], true)

  expect(sessionJail.restore('toolu_1', { command: 'jail(ls)' })).toEqual({ command: 'ls', timeout: 5 })
  // It is no call of the jail any more.
  expect(sessionJail.after(after('ls'))).toEqual({ event: after('ls'), note: null })
})

test.each<[string, Setup, string]>([
  ['it is switched off', { settings: { setting: 'off' } }, 'The setting readOnlyJail is off.'],
  ['it was not verified', { state: 'unavailable' }, 'No bubblewrap.'],
  ['something else may change commands', { obstacle: 'A hook.' }, 'A hook.'],
])('it is not on where %s', async (_, options, reason) => {
  const { sessionJail, call } = await setup(options)

  expect(await sessionJail.inForce()).toMatchObject({ isOn: false, reason })
  expect(await sessionJail.wrap(call('ls'), ['ls'], true)).toEqual({ problem: reason })
})

test('what the jail would show differently runs outside if it is proven, and only inside if it is not', async () => {
  const { sessionJail, call } = await setup()

  expect(await sessionJail.wrap(call('ps aux'), ['ps'], true)).toMatchObject({
    problem: expect.stringContaining('ps'),
  })
  expect(await sessionJail.wrap(call('ps aux'), ['ps'], false)).toMatchObject({ input: {} })
})

test('other shells than Bash do not run in it', async () => {
  const { sessionJail } = await setup()
  const monitor = { toolUseId: 'toolu_1', name: 'Monitor', input: { command: 'ls' } }

  expect(await sessionJail.wrap(monitor, ['ls'], true)).toEqual({
    problem: 'Monitor does not run in the jail.',
  })
})

test('a workspace can only ask for more care', () => {
  const home = { readOnlyJail: 'auto', unproven: 'jail' } as const
  expect(jailSettingsAt(home, null)).toEqual({ setting: 'auto', unproven: 'jail' })
  expect(jailSettingsAt(home, { readOnlyJail: 'require' })).toEqual({ setting: 'require', unproven: 'jail' })
  expect(
    jailSettingsAt({ ...home, readOnlyJail: 'off' }, { readOnlyJail: 'require', unproven: 'ask' }),
  ).toEqual({
    setting: 'require',
    unproven: 'ask',
  })
})
