import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { SlicedWork } from '../../lib/sliced-work.js'
import { FileIndex } from './file-index.js'
import { createListedNames } from './listed-name.js'

const NEVER = new AbortController().signal

/** Time has passed since the last change, so that folders are known by their times. */
const LATER_MS = 60_000

function indexOf(root: string, ownHomes: readonly string[] = [], laterMs = LATER_MS) {
  const index = new FileIndex(root, {
    listed: createListedNames(ownHomes),
    userHome: '/nonexistent',
    work: new SlicedWork(),
    now: () => Date.now() + laterMs,
  })
  return {
    /** All paths, or null if nothing has changed. */
    refresh: async () => {
      const found = await index.refresh(NEVER)
      return found && [...found.paths].toSorted()
    },
  }
}

function put(root: string, ...files: string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
  }
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=kim', '-c', 'user.email=kim@example.com', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  })
}

const hasGit = spawnSync('git', ['--version']).status === 0

test('files and folders are listed, without what git ignores', async () => {
  const root = await temporaryFolder()
  mkdirSync(join(root, '.git/info'), { recursive: true })
  writeFileSync(join(root, '.git/info/exclude'), 'private.txt')
  put(root, 'a.ts', 'src/b.ts', 'src/deep/c.log', 'src/deep/d.ts', 'out/e.js', 'private.txt')
  writeFileSync(join(root, '.gitignore'), 'out\n*.log\n')

  expect(await indexOf(root).refresh()).toEqual([
    '.gitignore',
    'a.ts',
    'src/',
    'src/b.ts',
    'src/deep/',
    'src/deep/d.ts',
  ])
})

test('in a folder of a repository the rules of the folders above count', async () => {
  const top = await temporaryFolder()
  mkdirSync(join(top, '.git'))
  put(top, 'app/a.ts', 'app/a.log', 'app/out/b.ts')
  writeFileSync(join(top, '.gitignore'), '*.log\n/app/out\n')

  expect(await indexOf(join(top, 'app')).refresh()).toEqual(['a.ts'])
})

test('outside of a repository installed packages are left out', async () => {
  const root = await temporaryFolder()
  put(root, 'a.ts', 'node_modules/x/index.js', 'sub/node_modules/y.js', '.venv/z.py')

  expect(await indexOf(root).refresh()).toEqual(['a.ts', 'sub/'])
})

test('our home, protected folders and protected files are not listed', async () => {
  const root = await temporaryFolder()
  put(root, 'signalbox/token', 'signalbox/sample-workspace/x.ts', '.ssh/id_ed25519', 'app/secrets/key.json')
  put(root, '.env', '.env.example', 'server.pem', 'src/a.ts', '.gnupg/ring', 'app/b.ts')

  expect(await indexOf(root, [join(root, 'signalbox')]).refresh()).toEqual([
    '.env.example',
    'app/',
    'app/b.ts',
    'src/',
    'src/a.ts',
  ])
  expect(
    await indexOf(join(root, 'signalbox/sample-workspace'), [join(root, 'signalbox')]).refresh(),
  ).toEqual(['x.ts'])
})

test('links are listed if they lead to a listed file of the workspace, and linked folders are not entered', async () => {
  const folder = await temporaryFolder()
  const root = join(folder, 'project')
  put(folder, 'outside/secret.txt')
  put(root, 'a.ts', '.env', 'deep/b.ts')
  symlinkSync('a.ts', join(root, 'link.ts'))
  symlinkSync('deep', join(root, 'to-deep'))
  symlinkSync('../outside', join(root, 'to-outside'))
  symlinkSync('../outside/secret.txt', join(root, 'to-secret'))
  symlinkSync('.env', join(root, 'to-env'))
  symlinkSync('/etc/passwd', join(root, 'to-passwd'))
  symlinkSync('loop', join(root, 'loop'))
  symlinkSync('gone', join(root, 'dangling'))

  expect(await indexOf(root).refresh()).toEqual(['a.ts', 'deep/', 'deep/b.ts', 'link.ts'])
})

test('names that cannot be shown or typed are not listed', async () => {
  const root = await temporaryFolder()
  put(root, 'ok.ts', 'line\nbreak.ts', 'esc\u001b[31m.ts', 'turn\u202e.ts', 'tab\t.ts', 'folder\u0007/in.ts')
  writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff, 0xfe])]), '')

  expect(await indexOf(root).refresh()).toEqual(['ok.ts'])
})

test('nothing changes without a change, and a change is found without reading everything again', async () => {
  const root = await temporaryFolder()
  put(root, 'a.ts', 'src/b.ts', 'src/deep/c.ts')
  const index = indexOf(root)
  await index.refresh()

  expect(await index.refresh()).toBeNull()
  put(root, 'src/deep/new.ts')
  expect(await index.refresh()).toContain('src/deep/new.ts')
  rmSync(join(root, 'src'), { recursive: true })
  expect(await index.refresh()).toEqual(['a.ts'])
  writeFileSync(join(root, '.gitignore'), '')
  put(root, 'x.log', 'sub/y.log')
  expect(await index.refresh()).toEqual(['.gitignore', 'a.ts', 'sub/', 'sub/y.log', 'x.log'])
  // The time of the folder stays as it is.
  writeFileSync(join(root, '.gitignore'), '*.log')
  expect(await index.refresh()).toEqual(['.gitignore', 'a.ts', 'sub/'])
})

test('a change in the same moment as the look is not missed', async () => {
  const root = await temporaryFolder()
  put(root, 'a.ts')
  const index = indexOf(root, [], 0)
  for (let count = 0; count < 30; count += 1) {
    put(root, `b${count}.ts`)
    expect(await index.refresh()).toHaveLength(count + 2)
  }
})

test('thousands of ignore rules do not take the event loop', async () => {
  const root = await temporaryFolder()
  put(root, ...Array.from({ length: 1_000 }, (_, at) => `f${at}.ts`))
  writeFileSync(join(root, '.gitignore'), Array.from({ length: 2_000 }, (_, at) => `*a*${at}*b`).join('\n'))
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  })

  expect(await indexOf(root).refresh()).toHaveLength(1_001)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})

test('a workspace that a link has taken the place of has no files', async () => {
  const folder = await temporaryFolder()
  const root = join(folder, 'project')
  put(root, 'a.ts', 'sub/b.ts')
  put(folder, 'outside/secret.txt', 'outside/sub/other.txt')
  const index = indexOf(root)
  await index.refresh()

  renameSync(root, join(folder, 'moved'))
  symlinkSync(join(folder, 'outside'), root)
  expect(await index.refresh()).toEqual([])
  rmSync(root)
  renameSync(join(folder, 'moved'), root)
  rmSync(join(root, 'sub'), { recursive: true })
  symlinkSync(join(folder, 'outside/sub'), join(root, 'sub'))
  expect(await index.refresh()).toEqual(['a.ts'])
})

describe.skipIf(!hasGit)('with git', () => {
  test('files that are tracked although they are ignored are listed, and hostile names of an index are not', async () => {
    const folder = await temporaryFolder()
    const root = join(folder, 'project')
    put(folder, 'outside/secret.txt')
    put(root, 'a.ts', 'dist/kept.js', 'dist/other.js', 'dist/.env', 'gone.log')
    writeFileSync(join(root, '.gitignore'), 'dist\n*.log\n')
    git(root, 'init', '-q')
    git(root, 'add', '-f', 'a.ts', 'dist/kept.js', 'dist/.env', 'gone.log', '.gitignore')
    rmSync(join(root, 'gone.log'))
    symlinkSync('../outside', join(root, 'escape'))
    const blob = git(root, 'hash-object', '-w', 'a.ts').trim()
    git(root, 'update-index', '--add', '--cacheinfo', `100644,${blob},escape/secret.txt`)
    const index = indexOf(root)

    expect(await index.refresh()).toEqual(['.gitignore', 'a.ts', 'dist/kept.js'])
    git(root, 'rm', '-q', '--cached', 'dist/kept.js')
    expect(await index.refresh()).toEqual(['.gitignore', 'a.ts'])
    put(root, 'b.ts')
    writeFileSync(join(root, '.gitignore'), '*.ts\n')
    expect(await index.refresh()).toContain('a.ts')
    expect(await index.refresh()).toBeNull()
  })

  const name = fc
    .array(fc.constantFrom('a', 'b', 'c', 'x.log', '.d', 'out', 'é'), { minLength: 1, maxLength: 2 })
    .map((parts) => parts.join(''))
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
  const rule = fc.constantFrom('*.log', 'out', '/a', 'b/', '!x.log', 'a/**', 'c/*', 'é*', '!ab')
  const change = fc.oneof(
    { weight: 3, arbitrary: path.map((file) => ({ kind: 'put' as const, file })) },
    path.map((file) => ({ kind: 'remove' as const, file })),
    fc.tuple(path, fc.array(rule, { maxLength: 3 })).map(([file, rules]) => ({
      kind: 'rules' as const,
      file: join(dirname(file), '.gitignore'),
      text: rules.join('\n'),
    })),
    fc.constantFrom('.', 'a', 'out').map((file) => ({ kind: 'add' as const, file })),
  )

  test('after any changes it lists what git lists, and what a new index would', async () => {
    const folder = await temporaryFolder()
    const runs = fc.sample(fc.array(change, { minLength: 3, maxLength: 14 }), { numRuns: 15, seed: 7 })
    for (const [number, changes] of runs.entries()) {
      const root = join(folder, `${number}`)
      mkdirSync(root)
      git(root, 'init', '-q')
      const index = indexOf(root)
      let known = await index.refresh()
      for (const [place, step] of changes.entries()) {
        apply(root, step)
        if (place % 3 === 0) known = (await index.refresh()) ?? known
      }
      known = (await index.refresh()) ?? known
      expect({ changes, known }).toEqual({ changes, known: await indexOf(root).refresh() })
      const files = known?.filter((file) => !file.endsWith('/'))
      const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
      const byGit = [...new Set(git(root, ...args).split('\0'))].filter((file) => file !== '').toSorted()
      expect({ changes, files }).toEqual({ changes, files: byGit.filter((file) => isFile(root, file)) })
    }
  })

  function apply(root: string, step: { kind: string; file: string; text?: string }): void {
    const at = join(root, step.file)
    try {
      if (step.kind === 'remove') return rmSync(at, { recursive: true, force: true })
      if (step.kind === 'add') return void git(root, 'add', '-f', step.file)
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, step.text ?? '')
    } catch {
      // A file stands where this one needs a folder, or there is nothing to add.
    }
  }

  function isFile(root: string, file: string): boolean {
    return lstatSync(join(root, file), { throwIfNoEntry: false })?.isFile() ?? false
  }
})
