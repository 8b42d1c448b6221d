/** Every command at several widths, with and without colour, and into a pipe. */

import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test, vi } from 'vitest'
import { exitCodeOf } from '../../src/cli/exit-code.js'
import { widthOf } from '../../src/cli/output/width.js'
import { createProgram } from '../../src/cli/program.js'
import { aTerminal } from '../support/captured-terminal.js'
import { makePlace, type Place, startDaemonProcess } from '../support/daemon-process.js'
import { aProgram } from '../support/program.js'
import { share, whenDone } from '../support/when-done.js'

const ANSWER = [
  '# What I found',
  '',
  'A **long** sentence that does not fit into sixty columns, with `code` in it and a [link](https://example.com).',
  '',
  '- an item that is long enough to be broken into two lines on a narrow terminal, and wide: 세션을 시작하세요',
  '',
  '| file | what is wrong with it |',
  '|---|---|',
  '| src/login.ts | it does not check the token, which is why the third test fails every time |',
].join('\n')

/** These run until they are stopped; their lines are those of the others. */
const ENDLESS = [
  'start',
  'demo',
  'runner',
  'model',
  'watch',
  'attach',
  'lifecycle consume',
  'run',
  'top',
  'acp',
  'mcp',
]
/** They cannot be run twice, or have no output of their own. */
const OTHER_TESTS = [
  'backup',
  'restore',
  'completion',
  'export',
  'rewind',
  'hooks install',
  'hooks uninstall',
  'service install',
  'service status',
  'service logs',
  'service uninstall',
  'channels add',
  'tls init',
  'tls remove',
]

/** They read the stream of the lifecycle hook, not a home. */
const WITHOUT_HOME = ['lifecycle', 'lifecycle rotate']

interface Samples {
  session: string
  request: string
  question: string
}

/** Words behind the name of each command. */
const WORDS: Readonly<Record<string, (samples: Samples) => string[]>> = {
  open: () => [],
  doctor: () => [],
  'config print': () => ['--show-origin'],
  logs: ({ session }) => [session],
  sessions: () => ['--all'],
  show: ({ session }) => [session],
  send: ({ session }) => [session, 'again'],
  interrupt: ({ session }) => [session],
  stop: ({ session }) => [session],
  continue: ({ session }) => [session],
  resume: ({ session }) => [session],
  fork: ({ session }) => [session],
  rename: ({ session }) => [session, 'A longer title for a session: 세션을 시작하세요'],
  set: ({ session }) => [session, '--title', 'Another title'],
  pin: ({ session }) => [session],
  archive: ({ session }) => [session, '--undo'],
  tag: ({ session }) => [session, 'login'],
  delete: () => ['ses_00000000000000000000000000'],
  tasks: ({ session }) => [session],
  inbox: () => [],
  allow: () => ['per_00000000000000000000000000'],
  deny: () => ['per_00000000000000000000000000'],
  answer: ({ question }) => [question, 'one', 'two'],
  'policy show': () => [],
  'policy check': () => ['--tool', 'Bash', '--input', '{"command":"rm -rf build && git push --force"}'],
  'policy explain': ({ request }) => [request],
  'policy backtest': () => ['--policy', 'classic'],
  'policy rule': ({ request }) => [request],
  'policy grants': ({ session }) => [session],
  'policy revoke': ({ session }) => [session, 'Bash'],
  audit: () => [],
  'audit verify': () => [],
  'audit accept': () => [],
  trust: () => [],
  'token create': () => [`a token with a long name ${Math.random()}`],
  'token list': () => [],
  'token revoke': () => ['no such token'],
  search: () => ['sentence'],
  usage: () => ['--by', 'session'],
  tools: () => [],
  'hooks status': () => [],
  lifecycle: () => [],
  'lifecycle rotate': () => [],
  diff: ({ session }) => [session],
  undo: ({ session }) => [session],
  comment: ({ session }) => [session],
  worktrees: () => [],
  'prompts list': () => [],
  'prompts show': () => ['no such prompt'],
  'prompts save': () => [
    'review',
    'Review the last commit, and list problems first, the most serious one on top.',
  ],
  'prompts delete': () => ['no such prompt'],
  'policy preview': () => ['--tool', 'Bash', '--command', 'npm test'],
  'channels list': () => [],
  'channels test': () => ['no such channel'],
  'channels pause': () => ['no such channel'],
  'channels resume': () => ['no such channel'],
  'channels remove': () => ['no such channel'],
  'channels log': () => [],
  'users list': () => [],
  'users set': () => ['kim'],
  'users remove': () => ['no such user'],
  mute: ({ session }) => [session],
  phone: () => [],
}

const shared = share(async (): Promise<{ place: Place; samples: Samples }> => {
  const place = await makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'push' },
        reply: [
          { tool: 'Bash', input: { command: 'rm -rf build && git push --force origin main > log.txt' } },
        ],
      },
      {
        when: { user: 'ask' },
        reply: [
          {
            tool: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Where should the data of this rather large application be stored in the end?',
                  header: 'Storage',
                  multiSelect: false,
                  options: [
                    { label: 'SQLite', description: 'one file' },
                    { label: 'PostgreSQL', description: 'a server' },
                  ],
                },
              ],
            },
          },
        ],
      },
      {
        when: { user: 'read' },
        reply: [{ tool: 'Read', input: { file_path: join(cwd, 'a-file-that-is-not-there.txt') } }],
      },
      { reply: [{ text: ANSWER }] },
    ],
  }))
  const { client, stop } = await startDaemonProcess(place)
  whenDone(stop)
  const create = async (prompt: string) =>
    (await client.createSession({ body: { cwd: place.cwd, prompt, title: `A title for: ${prompt} 세션` } }))
      .session.id
  const session = await create('read')
  const pushing = await create('push')
  const asking = await create('ask')
  const requestOf = (id: string) =>
    vi.waitFor(
      async () => {
        const { session: found } = await client.getSession({ params: { id } })
        return found.pendingRequests[0] ?? Promise.reject(new Error('It has not asked yet.'))
      },
      { timeout: 30_000 },
    )
  const samples = { session, request: await requestOf(pushing), question: await requestOf(asking) }
  return { place, samples }
}, 60_000)

/** The output of a command, standard output before standard error. */
async function printed(words: string[], options: Parameters<typeof aTerminal>[0]) {
  const { terminal, stdout, stderr } = aTerminal(options)
  let code = 0
  const finish = async (work: Promise<number>) => {
    code = await work
  }
  await createProgram({ terminal, finish }, words[0])
    .parseAsync(words, { from: 'user' })
    .catch((error: unknown) => {
      code = exitCodeOf(error)
      if (!(error instanceof Error && 'exitCode' in error)) terminal.note(String(error))
    })
  return { code, text: `${stdout()}${stderr()}`.replaceAll(PROGRESS, '') }
}

/** The line that says what takes longer than a second. */
// oxlint-disable-next-line no-control-regex -- as written.
const PROGRESS = /\r\u001b\[2K(?:[\w ]+ … \d+ s)?/g
const ESCAPE = '\u001b'
// oxlint-disable-next-line no-control-regex -- our own colours.
const COLORS = /\u001b\[\d+m/g

/** Lines that the terminal would break, except for a single word, which must be copied as one. */
function tooWide(text: string, columns: number): string[] {
  return text
    .replaceAll(COLORS, '')
    .split('\n')
    .filter((line) => widthOf(line) > columns && line.trim().includes(' '))
}

const names = leaves(aProgram())

test.each([
  [],
  ['policy'],
  ['token'],
  ['hooks'],
  ['service'],
  ['lifecycle'],
  ['prompts'],
  ['channels'],
  ['users'],
  ['tls'],
])('the help of all commands, and of %j, fits', async (...words) => {
  for (const columns of [40, 60, 80, 120])
    expect(tooWide((await printed([...words, '--help'], { columns })).text, columns)).toEqual([])
})

test('each command has its words here', () => {
  const known = [...Object.keys(WORDS), ...ENDLESS, ...OTHER_TESTS]
  expect(names.filter((name) => !known.includes(name))).toEqual([])
})

describe.each(names)('signalbox %s', (name) => {
  test('the help fits', async () => {
    for (const columns of [60, 80, 120])
      expect(tooWide((await printed([...name.split(' '), '--help'], { columns })).text, columns)).toEqual([])
  })

  const words = WORDS[name]
  if (!words) return

  test('its lines fit, its colours are ours, and a pipe gets none', async () => {
    const { place, samples } = shared()
    const home = WITHOUT_HOME.includes(name) ? [] : ['--home', place.home]
    const called = () => [...name.split(' '), ...words(samples), ...home]
    for (const columns of [60, 80, 120]) {
      const colored = await printed(called(), { columns })
      expect(tooWide(colored.text, columns)).toEqual([])
      expect(colored.text.replaceAll(COLORS, '')).not.toContain(ESCAPE)
      const plain = await printed(called(), { columns, env: { NO_COLOR: '1' } })
      expect(plain.text).not.toContain(ESCAPE)
      expect(plain.code).toBe(colored.code)
    }
    expect((await printed(called(), { columns: null })).text).not.toContain(ESCAPE)
  })
})

function leaves(command: Command, path: string[] = []): string[] {
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => sub.name() !== 'help')
  return shown.flatMap((sub) => {
    const name = [...path, sub.name()]
    const isGroup = sub.commands.length > 0 && sub.options.length === 0
    return [...(isGroup ? [] : [name.join(' ')]), ...leaves(sub, name)]
  })
}
