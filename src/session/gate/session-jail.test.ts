import { rename, rm, symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { Jail } from '../../jail/jail.js'
import type { EventDraft } from '../../protocol/event/event.js'
import type { JailStatus } from '../../protocol/jail.js'
import { type Reason, reason, saying } from '../../protocol/reason/reason.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import { HOST_NOTE, JAIL_NOTE, type JailSettings, jailSettingsAt, SessionJail } from './session-jail.js'

interface Setup {
  state?: JailStatus['state']
  settings?: Partial<JailSettings>
  obstacle?: ReasonPart | null
  problem?: ReasonPart
  claudeFolders?: string[]
  isHistoryClean?: boolean
}

async function setup(options: Setup = {}) {
  const {
    state = 'verified',
    settings = {},
    obstacle = null,
    problem,
    claudeFolders = [],
    isHistoryClean = true,
  } = options
  const workspace = await temporaryFolder()
  const [written, dropped, unjailed]: [EventDraft[], string[], string[]] = [[], [], []]
  const status: JailStatus = {
    state,
    kind: 'bubblewrap',
    ...(state === 'verified' ? { reason: null } : saying(reason('jail.not-installed'))),
  }
  const jail: Jail = {
    status,
    verify: async () => status,
    wrap: async ({ command }) =>
      problem === undefined ? { command: `jail(${command})`, id: command, claudeFolders } : { problem },
    isHistoryClean: async () => isHistoryClean,
    drop: (id) => void dropped.push(id),
    close: async () => {},
  }
  const sessionJail = new SessionJail({
    jail,
    workspace,
    env: { PATH: '/usr/bin:/bin' },
    settings: async () => ({ setting: 'auto', unproven: 'jail', ...settings }),
    obstacle: (folders) => (folders.length > 0 ? reason('jail.hook-file') : obstacle),
    write: (drafts) => written.push(...drafts),
    unjailed: (toolUseId) => unjailed.push(toolUseId),
  })
  const call = (command: string) => ({ toolUseId: 'toolu_1', name: 'Bash', input: { command, timeout: 5 } })
  return { sessionJail, workspace, written, dropped, unjailed, call }
}

const after = (command: string) => ({
  hook_event_name: 'PostToolUse',
  tool_use_id: 'toolu_1',
  tool_input: { command, timeout: 5 },
})
/** The event that the CLI reports after a wrapped command. */
const afterWrapped = (command: string, change: object = {}) => ({
  ...after(command),
  tool_input: { description: command, timeout: 5, command: `jail(${command})`, ...change },
})

test('a command is wrapped, and everybody but the CLI sees it as it was', async () => {
  const { sessionJail, call, written } = await setup()

  expect(await sessionJail.wrap(call('ls'), [['ls']], true)).toEqual({
    input: { command: 'jail(ls)', description: 'ls', timeout: 5 },
  })
  expect(sessionJail.after(afterWrapped('ls'))).toEqual({ event: after('ls'), note: null })
  expect(written).toEqual([])
})

test('only what is not proven carries the line for the agent', async () => {
  const { sessionJail, call } = await setup()
  await sessionJail.wrap(call('ls'), [['ls']], false)

  expect(sessionJail.after(afterWrapped('ls')).note).toBe(JAIL_NOTE)
})

test.each<[string, object]>([
  ['another command', { command: 'rm -rf src' }],
  ['the same in the background', { run_in_background: true }],
  ['the same without the sandbox', { dangerouslyDisableSandbox: true }],
])('%s is reported and recorded, and disables the jail', async (_, change) => {
  const { sessionJail, call, written, unjailed } = await setup()
  await sessionJail.wrap(call('ls'), [['ls']], false)
  const ended = afterWrapped('ls', change)

  expect(sessionJail.after(ended)).toEqual({ event: ended, note: null })

  await expect.poll(() => written.length).toBe(2)
  expect(written).toMatchObject([
    { type: 'notice.raised', data: { level: 'error', topic: 'jail' } },
    {
      type: 'session.changed',
      data: { jail: { isOn: false, reason: expect.stringContaining('did not run') } },
    },
  ])
  expect(unjailed).toEqual(['toolu_1'])
  expect(await sessionJail.wrap(call('ls'), [['ls']], true)).toMatchObject({
    problem: { code: 'jail.input-changed' },
  })
})

test('what the CLI asks about is the call as it must run, or something that nobody has judged', async () => {
  const { sessionJail, call, written } = await setup()
  const wrapped = await sessionJail.wrap(call('ls'), [['ls']], true)
  const input = 'input' in wrapped ? wrapped.input : {}

  expect(sessionJail.asked('toolu_2', input)).toBeNull()
  expect(sessionJail.asked('toolu_1', input)).toBe('wrapped')
  expect(sessionJail.asked('toolu_1', { ...input, command: 'ls' })).toBe('changed')
  expect(written).toMatchObject([{ type: 'notice.raised' }])
})

test('a call that is not made any more, and what is left at the end of the session, never runs', async () => {
  const { sessionJail, call, dropped } = await setup()
  await sessionJail.wrap(call('ls'), [['ls']], true)
  sessionJail.drop('toolu_1')
  await sessionJail.wrap(call('pwd'), [['pwd']], true)
  sessionJail.end()

  expect(dropped).toEqual(['ls', 'pwd'])
})

test('a skill with hooks below the workspace keeps commands out of the jail', async () => {
  const { sessionJail, call, dropped } = await setup({ claudeFolders: ['/w/packages/a/.claude'] })

  expect(await sessionJail.wrap(call('ls'), [['ls']], true)).toEqual({ problem: reason('jail.hook-file') })
  expect(dropped).toEqual(['ls'])
})

test('a workspace that is replaced during the session is not shown', async () => {
  const { sessionJail, workspace, call } = await setup()
  await rename(workspace, `${workspace}-moved`)
  await symlink('/', workspace)
  const wrapped = await sessionJail.wrap(call('ls'), [['ls']], true)
  await rm(workspace)
  await rename(`${workspace}-moved`, workspace)

  expect(wrapped).toMatchObject({ problem: reason('jail.workspace-replaced') })
})

test.each<[string, Setup, Reason]>([
  ['it is switched off', { settings: { setting: 'off' } }, reason('jail.setting-off')],
  ['it was not verified', { state: 'unavailable' }, reason('jail.not-installed')],
  ['something else may change commands', { obstacle: reason('jail.plugins') }, reason('jail.plugins')],
])('it is not on where %s', async (_, options, why) => {
  const { sessionJail, call } = await setup(options)

  expect(await sessionJail.inForce()).toMatchObject({ isOn: false, ...saying(why) })
  expect(await sessionJail.wrap(call('ls'), [['ls']], true)).toEqual({ problem: why })
})

test('what the jail would show differently runs outside if it is proven, and only inside if it is not', async () => {
  const { sessionJail, call } = await setup()
  const isOutside = async (command: string, isProven = true) =>
    'problem' in (await sessionJail.wrap(call(command), [command.split(' ')], isProven))

  expect(await isOutside('ps aux')).toBe(true)
  expect(await isOutside('ps aux', false)).toBe(false)
  for (const command of [
    '[ -w a ]',
    'find . -empty',
    'ls -la',
    'ls -l 2>/dev/null',
    'stat a',
    'test -s a',
    'du',
  ])
    expect([command, await isOutside(command)]).toEqual([command, true])
  for (const command of [
    '[ -f a ]',
    'find . -name a',
    'ls -a',
    'ls --all',
    'cat a',
    'test a = -w-',
    'printenv',
  ])
    expect([command, await isOutside(command)]).toEqual([command, false])
})

test.each([
  'ls -l $key',
  'ls -l `x`',
  'ls -l {a,b}',
  'ls -l [ab]',
  'ls -l <(x)',
  'ls -l > x',
  'ls -l \\\nx',
  "ls -l $'x'",
])('where bash expands something it stays in the jail, and the agent learns of it: %s', async (command) => {
  const { sessionJail, call } = await setup()

  expect(await sessionJail.wrap(call(command), [['ls', '-l']], true)).toMatchObject({ input: {} })
  expect(sessionJail.after(afterWrapped(command)).note).toBe(JAIL_NOTE)
})

test.each([
  ['lsof -i :3000', ['lsof', '-i', ':3000']],
  ['git config --list', ['git', 'config', '--list']],
  ['echo "$PATH"', ['echo', '']],
])('the agent learns that the jail hides what it asked about: %s', async (command, words) => {
  const { sessionJail, call } = await setup()
  await sessionJail.wrap(call(command), [words], false)

  expect(sessionJail.after(afterWrapped(command)).note).toBe(`${JAIL_NOTE} ${HOST_NOTE}`)
})

test('what shows a history with protected files is secret, whatever else keeps it out of the jail', async () => {
  const { sessionJail, call } = await setup({ isHistoryClean: false })
  const secret = { problem: reason('jail.not-clean'), mustAsk: true }
  const shows = ['git', 'log', '-p']

  expect(await sessionJail.wrap(call('git log -p'), [shows], true)).toEqual(secret)
  expect(await sessionJail.wrap(call('git log -p; id'), [shows, ['id']], true)).toEqual(secret)
  const monitor = { toolUseId: 'toolu_1', name: 'Monitor', input: { command: 'git log -p' } }
  expect(await sessionJail.wrap(monitor, [shows], true)).toEqual(secret)
  expect(await sessionJail.wrap(call('git log'), [['git', 'log']], true)).toMatchObject({ input: {} })
})

test.each(['git -C vendor status', '(cd vendor && git status)', 'git status $X', 'git --git-dir=x status'])(
  'where git cannot run in the jail, only a plain command runs outside: not %s',
  async (text) => {
    const { sessionJail, call } = await setup({ problem: reason('jail.tracked-hidden') })
    const commands = text.replaceAll(/[()]/g, '').split(' && ')
    const wrap = (command: string, words: string[][]) => sessionJail.wrap(call(command), words, true)

    expect(await wrap('git status', [['git', 'status']])).toEqual({ problem: reason('jail.tracked-hidden') })
    expect(
      await wrap(
        text,
        commands.map((command) => command.split(' ')),
      ),
    ).toMatchObject({ mustAsk: true })
  },
)

test('other shells than Bash do not run in it', async () => {
  const { sessionJail } = await setup()
  const monitor = { toolUseId: 'toolu_1', name: 'Monitor', input: { command: 'ls' } }

  expect(await sessionJail.wrap(monitor, [['ls']], true)).toEqual({
    problem: reason('jail.tool', { tool: 'Monitor' }),
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
