/** The map of the house as data: who may import whom. A change here is a design decision with a page in docs/decisions/. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findImportCycles } from './support/import-cycle.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A room is a folder or a file below `src`; what it may import besides itself. `store/port` is that file and the folder of its name. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: ['lib/text/printable'],
  lib: [],
  version: [],
  scripted: [],
  audit: ['protocol', 'lib'],
  store: ['protocol', 'lib', 'audit/chain', 'audit/database', 'audit/entry'],
  bus: ['protocol', 'lib'],
  config: ['protocol', 'hook/settings', 'telemetry/settings'],
  home: ['protocol', 'lib', 'store/home-lock'],
  'named-file': ['protocol', 'lib', 'config'],
  backup: ['protocol', 'lib', 'home', 'audit', 'store/port', 'store/sqlite'],
  journal: ['protocol', 'lib', 'store/port'],
  usage: ['protocol', 'lib', 'store/port'],
  link: ['protocol', 'lib', 'store/port', 'bus/port', 'journal', 'tool/built-in/agent-caller'],
  policy: ['protocol', 'lib'],
  jail: ['protocol', 'lib', 'policy/file'],
  tool: ['protocol', 'lib'],
  hook: ['protocol', 'lib'],
  inbox: ['protocol', 'lib', 'store/port', 'journal'],
  change: ['protocol', 'lib', 'store/port', 'bus/port', 'journal', 'inbox', 'policy/file'],
  worktree: ['protocol', 'lib', 'store/port', 'bus/port', 'journal', 'hook/program'],
  terminal: ['protocol', 'lib', 'store/port', 'journal', 'usage/price'],
  session: [
    'protocol',
    'lib',
    'store/port',
    'bus/port',
    'journal',
    'inbox',
    'policy',
    'jail',
    'tool',
    'hook',
    'change',
  ],
  hub: [
    'protocol',
    'lib',
    'audit',
    'store/port',
    'bus/port',
    'journal',
    'inbox',
    'policy',
    'usage/group',
    'usage/merge',
    'tool',
    'change/busy-sessions',
    'change/history',
  ],
  tls: ['lib'],
  notification: ['protocol', 'lib', 'audit', 'store/port', 'journal', 'hub'],
  telemetry: ['protocol', 'lib', 'store/port', 'journal'],
  server: ['version', 'protocol', 'lib', 'audit', 'store/port', 'journal', 'hub', 'dialect', 'notification'],
  client: ['protocol'],
  dialect: ['protocol', 'lib'],
  embed: ['protocol', 'lib', 'tool', 'journal', 'hub', 'config', 'home', 'runtime'],
  'drop-in': ['protocol', 'lib', 'dialect', 'tool', 'embed'],
  index: ['protocol', 'policy', 'tool', 'terminal', 'embed', 'drop-in', 'dialect'],
  runtime: [
    'protocol',
    'lib',
    'store',
    'audit',
    'bus',
    'config',
    'home',
    'named-file',
    'journal',
    'link',
    'policy',
    'jail',
    'inbox',
    'terminal',
    'session',
    'tool',
    'change',
    'worktree',
    'usage',
    'hub',
    'scripted',
  ],
  daemon: [
    'protocol',
    'lib',
    'config',
    'home',
    'version',
    'store/start-error',
    'runtime',
    'server',
    'telemetry',
    'tls',
  ],
  cli: [
    'protocol',
    'lib',
    'audit',
    'client',
    'config',
    'home',
    'named-file',
    'version',
    'scripted',
    'policy',
    'jail',
    'terminal',
    'backup',
    'store/damage',
    'store/home-lock',
    'store/write-fault',
    'runtime',
    'daemon',
    'tls',
  ],
}

interface Import {
  file: string
  /** The room that the file is in. */
  from: string
  /** A path below `src` without its ending, or a package. */
  to: string
}

const imports = filesBelow(join(ROOT, 'src')).flatMap(readImports)

test('the scan sees the code', () => {
  expect(imports.length).toBeGreaterThan(200)
  expect(new Set(imports.map(({ from }) => from))).toEqual(new Set(Object.keys(MAY_IMPORT)))
})

describe('imports point one way', () => {
  test.each(Object.keys(MAY_IMPORT))('%s', (room) => {
    const allowed = [room, ...(MAY_IMPORT[room] ?? [])]
    const wrong = imports.filter(
      ({ from, to }) =>
        from === room && isOurs(to) && !allowed.some((name) => to === name || to.startsWith(`${name}/`)),
    )
    expect(wrong).toEqual([])
  })
})

describe('the policy', () => {
  const policy = imports.filter(({ from }) => from === 'policy')
  const below = (folder: string) => policy.filter(({ file }) => file.startsWith(`src/policy/${folder}/`))

  /** Types count: who reads one file of a knot has to read them all. */
  test('has no import cycle', () => {
    const graph = new Map<string, string[]>()
    for (const { file, to } of policy) {
      const name = file.replace(/^src\/|\.ts$/g, '')
      graph.set(name, [...(graph.get(name) ?? []), to])
    }
    expect(graph.size).toBeGreaterThan(100)
    expect(findImportCycles(graph)).toEqual([])
  })

  test('judges programs through a narrow context, without the interpreter', () => {
    const interpreter = /^policy\/shell\/(?:interpreter|shell-context|read-shell|run-program|walk)$/
    expect(below('program').length).toBeGreaterThan(100)
    expect(below('program').filter(({ to }) => interpreter.test(to))).toEqual([])
  })

  test('proves a command without the reading that searches for dangers', () => {
    const wrong = below('proof').filter(({ to }) =>
      /^policy\/(?:shell|program)\/|^lib\/glob\/|^unbash$/.test(to),
    )
    expect(wrong).toEqual([])
  })
})

/** The hub side and the runner side, later two processes, are joined in one file and share ports and values only. */
describe('the two sides of a runtime', () => {
  const SHARED = ['protocol', 'lib', 'config']
  const HUB_SIDE = [
    ...SHARED,
    'store/port',
    'bus/port',
    'journal',
    'inbox',
    'policy',
    'hub',
    'runtime/policy-watch',
  ]
  /** Neither store nor bus: the runner reaches the hub through its link alone. */
  const RUNNER_SIDE = [
    ...SHARED,
    'link/port',
    'inbox/asker',
    'policy/policy-answers',
    'policy/source/effective-policy',
    'session',
    'change',
    'worktree',
    'jail',
    'tool',
  ]
  const TERMINAL_SIDE = [...SHARED, 'bus/port', 'terminal', 'usage']

  test.each([
    ['hub-side', HUB_SIDE],
    ['runner-side', RUNNER_SIDE],
    ['terminal-side', TERMINAL_SIDE],
  ] as const)('%s imports its own rooms', (side, allowed) => {
    const used = imports.filter(({ file, to }) => file === `src/runtime/${side}.ts` && isOurs(to))
    expect(used.length).toBeGreaterThan(3)
    expect(
      used.filter(({ to }) => !allowed.some((name) => to === name || to.startsWith(`${name}/`))),
    ).toEqual([])
  })

  test('the runner uses of store and bus only what its link has', () => {
    const reaching = imports.filter(
      ({ from, file, to }) =>
        ['session', 'change', 'worktree'].includes(from) &&
        !file.endsWith('.test.ts') &&
        /^store\/(?!port\/)|^bus\/(?!port$)/.test(to),
    )
    expect(reaching.filter(({ to }) => to !== 'store/port')).toEqual([])
  })

  test('the hub touches no disk: the files of a workspace are on the machine of its agents', () => {
    const reaching = imports.filter(
      ({ from, to }) => from === 'hub' && /^node:(?:fs|child_process|os)|^policy\/file\/node-file/.test(to),
    )
    expect(reaching).toEqual([])
  })

  test('product and tests are assembled in one place', () => {
    const wiring = /(?<![.\w])create(?:Hub|Runner|Inbox|Asker|AgentCalls)\(/
    const places = ['src', 'test'].flatMap((folder) =>
      filesBelow(join(ROOT, folder))
        .filter((file) => wiring.test(readFileSync(file, 'utf8').replaceAll(/export function \w+/g, '')))
        .map((file) => relative(ROOT, file)),
    )
    expect(places.toSorted()).toEqual(['src/runtime/hub-side.ts', 'src/runtime/runner-side.ts'])
  })
})

test('protocol and client run in browsers: they import nothing of Node and no package but zod', () => {
  const wrong = imports.filter(
    ({ from, to }) => (from === 'protocol' || from === 'client') && !isOurs(to) && to !== 'zod',
  )
  expect(wrong).toEqual([])
})

test('the dashboard uses the client and the protocol, nothing else', () => {
  const used = filesBelow(join(ROOT, 'web/src'))
    .flatMap((file) =>
      specifiersOf(file).map((name) => (name.startsWith('.') ? join(dirname(file), name) : name)),
    )
    .map((name) => (name.startsWith('/') ? relative(ROOT, name) : name))
    .filter((name) => name.startsWith('src/'))
  expect(new Set(used)).toEqual(new Set(['src/client/index.js', 'src/protocol/index.js']))
})

test('benches, scripts and tests import built files that have a source', () => {
  const missing = ['bench', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:mjs|ts)$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(ROOT, folder, name), 'utf8')
        return Array.from(
          text.matchAll(/'(?:\.\.\/)+dist\/((?!bin\/|web\/)[\w/.-]+)\.js'/g),
          ([, path]) => path,
        )
          .filter((path) => !existsSync(join(ROOT, 'src', `${path}.ts`)))
          .map((path) => `${folder}/${name}: dist/${path}.js`)
      }),
  )
  expect(missing).toEqual([])
})

test('one file drives the Agent SDK', () => {
  const drivers = imports.filter(({ to }) => to.startsWith('@anthropic-ai/')).map(({ file }) => file)
  // The second one only names its types.
  expect(new Set(drivers)).toEqual(
    new Set(['src/session/claude/driver.ts', 'src/session/claude/sdk-options.ts']),
  )
})

test('one file makes notices, so that none is English only', () => {
  const making = filesBelow(join(ROOT, 'src'))
    .map((file) => relative(ROOT, file))
    .filter((file) => !/\.test\.ts$|^src\/(?:store\/suite|protocol\/example)\//.test(file))
    .filter((file) => /\btype: 'notice\.raised',/.test(readFileSync(join(ROOT, file), 'utf8')))
  expect(making).toEqual(['src/protocol/event/notice.ts'])
})

test('the environment, signals and the end of the process belong to the command line and to the library', () => {
  const reaching = filesBelow(join(ROOT, 'src'))
    .filter((file) => /\bprocess\.(env|exit|on|once|argv)\b/.test(readFileSync(file, 'utf8')))
    .map((file) => relative(ROOT, file))
    .filter((file) => !file.startsWith('src/cli/'))
  // Two are programs of their own.
  const programs = ['src/scripted/model-process.ts', 'src/session/keeper/keeper.ts']
  expect(reaching.filter((file) => !programs.includes(file))).toEqual(['src/embed/signalbox.ts'])
})

/**
 * Closing any descriptor of a file drops all POSIX locks of the process on it, and with them those of SQLite. So every
 * file that opens paths is known here: the paths are our own, or it asks `lib/locked-file.ts` before it opens one.
 */
describe('no file that SQLite has locked is opened a second time', () => {
  const OPENS =
    /\b(?:openSync|open|readFileSync|readFile|createReadStream|copyFileSync|copyFile|cpSync|cp|writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|truncateSync|truncate|openAsBlob)\b[^']*from 'node:fs/
  /** These open only paths that we choose, outside any folder of an agent, and never a database. */
  const OWN_PATHS: ReadonlySet<string> = new Set([
    'src/audit/seal.ts',
    'src/backup/restore.ts',
    'src/runtime/kept-model.ts',
    'src/runtime/model-access.ts',
    'src/scripted/model-process.ts',
    'src/session/attach/input-journal.ts',
    'src/session/attach/kept-process.ts',
    'src/session/attach/output-scan.ts',
    'src/session/attach/output-tail.ts',
    'src/session/attach/streamed-block.ts',
    'src/session/keeper/keeper-client.ts',
    'src/session/keeper/keeper.ts',
    'src/session/keeper/kept-child.ts',
    'src/runtime/runner-place.ts',
    'src/change/changes.ts',
    'src/change/git/object-writer.ts',
    'src/change/running-calls.ts',
    'src/change/snapshot/session-refs.ts',
    'src/change/snapshot/snapshot-store.ts',
    'src/change/snapshot/store-format.ts',
    'src/change/store-keeping.ts',
    'src/change/undo/apply.ts',
    'src/change/undo/merge.ts',
    'src/change/workspace-changes.ts',
    'src/config.ts',
    'src/daemon.ts',
    'src/home.ts',
    'src/hook/command-hooks.ts',
    'src/link/spool.ts',
    'src/jail/jail-files.ts',
    'src/jail/jail-script-run.ts',
    'src/jail/probe.ts',
    'src/jail/report-reader.ts',
    'src/jail/run-folder.ts',
    'src/jail/run.ts',
    'src/lib/file/held-handle.ts', // Only folders.
    'src/lib/git/inert-git.ts',
    'src/lib/file/log-file.ts',
    'src/lib/start-token.ts',
    'src/terminal/hook/hook-status.ts',
    'src/terminal/hook/install-record.ts',
    'src/terminal/hook/plugin.ts',
    'src/terminal/monitor/process-table.ts',
    'src/terminal/hook/producer.ts',
    'src/terminal/hook/settings-file.ts',
    'src/policy/source/policy-file.ts',
    'src/server/static/static-files.ts',
    'src/session/attach/launch-folder.ts',
    'src/session/claude/hidden-argument.ts',
    'src/session/claude/process-identity.ts',
    'src/session/claude/sdk-log.ts',
    'src/store/file-witness.ts',
    'src/store/lock-holder.ts',
    'src/runtime/in-session.ts',
    'src/lib/sqlite/driver.ts',
    'src/store/write-fault.ts',
    'src/tls/local-authority.ts',
    'src/tool/file/replace-file.ts',
    'src/version.ts',
  ])
  // Programs of the command line that end after one command hold no database of a daemon.
  const opening = filesBelow(join(ROOT, 'src')).flatMap((path) => {
    const file = relative(ROOT, path)
    const text = readFileSync(path, 'utf8')
    const isOpening = text.split(/^(?=import )/m).some((statement) => OPENS.test(statement))
    return isOpening && !file.startsWith('src/cli/') ? [{ file, text }] : []
  })

  test('the scan sees the code', () => {
    expect(opening.length).toBeGreaterThan(25)
  })

  test.each(opening)('$file', ({ file, text }) => {
    expect(OWN_PATHS.has(file) || text.includes('refuseLockedFile(')).toBe(true)
  })

  /**
   * A FIFO or a device in a folder of an agent would stop the daemon. Only these open such paths: the file that reads for all
   * others, the tools and undo (with an open folder and O_NONBLOCK), files that an admin brings into a worktree, and the code that truncates a transcript or copies the home.
   */
  test('one file opens what others may have put into its place', () => {
    const foreign = opening.map(({ file }) => file).filter((file) => !OWN_PATHS.has(file))
    expect(foreign).toEqual([
      'src/backup/backup-content.ts',
      'src/backup/backup.ts',
      'src/worktree/bring-files.ts',
      'src/change/undo/held-tree.ts',
      'src/lib/file/regular-file.ts',
      'src/session/claude/conversation.ts',
      'src/tool/file/held-folder.ts',
      'src/tool/listing/folder-entries.ts',
    ])
  })

  test('one file opens databases, and creates them only where there is none', () => {
    const drivers = imports.filter(({ to }) => /sqlite/.test(to) && !isOurs(to)).map(({ file }) => file)
    expect(new Set(drivers)).toEqual(new Set(['src/lib/sqlite/driver.ts']))
    const text = readFileSync(join(ROOT, 'src/lib/sqlite/driver.ts'), 'utf8')
    expect([...text.matchAll(/\bopenSync\([^)]*\)/g)].map(([call]) => call)).toEqual([
      "openSync(path, 'wx', 0o600)",
    ])
  })
})

test('no folder has more than 25 source files', () => {
  const counts = new Map<string, number>()
  for (const name of ['src', 'web/src'].flatMap((root) => filesBelow(join(ROOT, root)))) {
    const folder = relative(ROOT, dirname(name))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  expect(counts.size).toBeGreaterThan(100)
  expect([...counts].filter(([, count]) => count > 25)).toEqual([])
})

function isOurs(target: string): boolean {
  return Object.keys(MAY_IMPORT).some((room) => target === room || target.startsWith(`${room}/`))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|-(?:suite|cases)\.ts$/.test(name))
    .map((name) => join(folder, name))
}

function readImports(path: string): Import[] {
  const file = relative(ROOT, path)
  const from =
    file
      .replace(/^src\//, '')
      .split('/')[0]
      ?.replace(/\.ts$/, '') ?? ''
  return specifiersOf(path).map((name) => {
    const target = name.startsWith('.') ? relative(join(ROOT, 'src'), join(dirname(path), name)) : name
    return { file, from, to: target.replace(/\.js$/, '') }
  })
}

function specifiersOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
}
