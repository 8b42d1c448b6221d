/** Snapshots hold what is on disk, byte for byte, whatever a repository says. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { shownPath } from '../byte-path.js'
import { modeIn } from './meta.js'
import { SnapshotStore, type State, TooLarge } from './snapshot-store.js'

const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
const LIMITS = { maxFiles: 1_000, maxBytes: 10_000_000, maxFileBytes: 100_000 }

async function setup() {
  const folder = await temporaryFolder()
  const workspace = join(folder, 'work')
  mkdirSync(workspace)
  const open = (limits = LIMITS) =>
    new SnapshotStore({
      program: GIT,
      folder: join(folder, 'store'),
      workspace,
      exclude: ['node_modules/'],
      never: [],
      limits,
    })
  const at = (path: string) => join(workspace, path)
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), content)
  }
  const git = (...args: string[]) =>
    execFileSync(GIT, ['-C', workspace, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'pipe',
    })
  return { folder, workspace, store: open(), open, at, write, git }
}

/** All recorded files: content, or the target of a link, and the permissions. */
async function filesIn(store: SnapshotStore, { tree, meta }: State): Promise<Record<string, string>> {
  const empty = (await store.git.run(['hash-object', '-t', 'tree', '-w', '--stdin'])).toString().trim()
  const files: Record<string, string> = {}
  for (const { path, after } of await store.trees.compare(empty, tree)) {
    if (after === null) continue
    const content = (await store.trees.read(after.id)).toString('latin1')
    const mode = after.kind === 'link' ? 'link' : modeIn(meta, path, after.kind).toString(8)
    files[shownPath(path)] = `${mode} ${content}`
  }
  return files
}

/** The same by a walk of our own, which knows nothing of git but the names of its folders. */
function filesOnDisk(workspace: string, folder = Buffer.from('')): Record<string, string> {
  const files: Record<string, string> = {}
  const whole = (path: Buffer) => Buffer.concat([Buffer.from(`${workspace}/`), path])
  for (const entry of readdirSync(whole(folder), { withFileTypes: true, encoding: 'buffer' })) {
    const path = folder.length === 0 ? entry.name : Buffer.concat([folder, Buffer.from('/'), entry.name])
    if (entry.name.toString() === '.git') continue
    if (entry.isDirectory()) Object.assign(files, filesOnDisk(workspace, path))
    const shown = shownPath(path.toString('latin1'))
    if (entry.isSymbolicLink())
      files[shown] = `link ${readlinkSync(whole(path), 'buffer').toString('latin1')}`
    if (entry.isFile())
      files[shown] =
        `${(lstatSync(whole(path)).mode & 0o7777).toString(8)} ${readFileSync(whole(path)).toString('latin1')}`
  }
  return files
}

describe('a snapshot', () => {
  test('has the bytes on disk, whatever attributes, filters and encodings a repository names', async () => {
    const { workspace, store, write, git, at } = await setup()
    git('init', '-q')
    git('config', 'core.autocrlf', 'true')
    git('config', 'filter.evil.clean', `touch ${at('PWNED')}; cat`)
    git('config', 'core.fsmonitor', `touch ${at('PWNED')}; false`)
    git('config', 'diff.external', `touch ${at('PWNED')}`)
    write(
      '.gitattributes',
      '* text eol=crlf ident filter=evil\n*.utf16 working-tree-encoding=UTF-16\n*.bin diff=evil\n',
    )
    write('crlf.txt', 'one\r\ntwo\r\n')
    write('mixed.txt', 'one\ntwo\r\n$Id: 1 $')
    write('a.utf16', Buffer.from('\ufefftext', 'utf16le'))
    write('a.bin', Buffer.from([0, 255, 13, 10, 0]))
    write('empty', '')
    write('.git/hooks/post-index-change', `#!/bin/sh\ntouch ${at('PWNED')}\n`)
    chmodSync(at('.git/hooks/post-index-change'), 0o755)

    const state = await store.scan()

    expect(await filesIn(store, state)).toEqual(filesOnDisk(workspace))
    expect(lstatSync(at('PWNED'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('has names that are no text, links that lead nowhere and unusual permissions', async () => {
    const { workspace, store, write, at } = await setup()
    const odd = (name: Buffer) => Buffer.concat([Buffer.from(`${workspace}/`), name])
    writeFileSync(odd(Buffer.from([0x63, 0x61, 0xff])), 'latin')
    writeFileSync(odd(Buffer.from('new\nline "quoted" \\')), 'line')
    mkdirSync(odd(Buffer.from([0xfe])))
    writeFileSync(odd(Buffer.from([0xfe, 0x2f, 0x61])), 'in an odd folder')
    write('git~1/back\\slash', 'name of another system')
    write('private', 'x')
    chmodSync(at('private'), 0o600)
    write('run.sh', '#!/bin/sh')
    chmodSync(at('run.sh'), 0o750)
    symlinkSync('/nonexistent', at('dangling'))
    symlinkSync('..', at('up'))

    const state = await store.scan()

    expect(await filesIn(store, state)).toEqual(filesOnDisk(workspace))
  })

  test('has the files of repositories inside the workspace, with and without commits', async () => {
    const { workspace, store, write, git } = await setup()
    git('init', '-q')
    for (const name of ['bare-one', 'with-commit', 'deep/inner']) {
      write(`${name}/file`, name)
      write(`${name}/folder/file`, name)
      git('init', '-q', name)
    }
    git('-C', 'with-commit', 'add', '.')
    git('-C', 'with-commit', 'commit', '-qm', 'x')
    write('bare-one/second/.gitignore', '*.log')
    git('init', '-q', 'bare-one/second')
    write('plain', 'x')

    expect(await filesIn(store, await store.scan())).toEqual(filesOnDisk(workspace))

    write('with-commit/later', 'x')
    write('with-commit/folder/file', 'changed')

    expect(await filesIn(store, await store.scan())).toEqual(filesOnDisk(workspace))
  })

  test('leaves out what is ignored, but for files that the repository tracks', async () => {
    const { store, write, git } = await setup()
    git('init', '-q')
    write('.gitignore', '*.log\nbuild/\n')
    write('kept.log', 'tracked')
    git('add', '-f', 'kept.log')
    write('other.log', 'x')
    write('build/out', 'x')
    write('node_modules/a/index.js', 'x')
    write('src/.gitignore', '!*.log\n')
    write('src/a.log', 'x')

    const names = Object.keys(await filesIn(store, await store.scan()))

    expect(names.toSorted()).toEqual(['.gitignore', 'kept.log', 'src/.gitignore', 'src/a.log'])
  })

  test('follows the ignore rules of the repository around the workspace', async () => {
    const { folder, workspace, write } = await setup()
    execFileSync(GIT, ['init', '-q', folder])
    writeFileSync(join(folder, '.gitignore'), '*.tmp\n/work/out/\n/other\nwork/*/deep\n**/any\n')
    writeFileSync(join(folder, '.git/info/exclude'), 'secret-notes\n')
    for (const path of ['a.tmp', 'out/x', 'other', 'b/deep/x', 'b/any', 'secret-notes', 'b/kept'])
      write(path, 'x')
    const store = new SnapshotStore({
      program: GIT,
      folder: join(folder, 'store'),
      workspace,
      exclude: [],
      never: [],
      limits: LIMITS,
    })

    expect(Object.keys(await filesIn(store, await store.scan())).toSorted()).toEqual(['b/kept', 'other'])
  })

  test('says which files are left out, and takes them up when they fit', async () => {
    const { store, write, at } = await setup()
    write('large', Buffer.alloc(LIMITS.maxFileBytes + 1))
    write('small', 'x')
    execFileSync('mkfifo', [at('pipe')])
    write('.GIT/config', 'x')

    const first = await store.scan()

    expect([...first.meta.left].map(([path, { reason }]) => `${path} ${reason}`).toSorted()).toEqual([
      '.GIT/config reserved',
      'large large',
    ])
    expect(Object.keys(await filesIn(store, first))).toEqual(['small'])

    write('large', 'now small')
    write('small', Buffer.alloc(LIMITS.maxFileBytes + 1))
    const second = await store.scan()

    expect(await filesIn(store, second)).toEqual({ large: '644 now small' })
    expect(second.meta.left.get('small')?.reason).toBe('large')

    rmSync(at('small'))
    execFileSync('mkfifo', [at('small')])
    expect((await store.scan()).meta.left.get('small')?.reason).toBe('special')
  })

  test('knows folders without files', async () => {
    const { store, write, at } = await setup()
    mkdirSync(at('empty/inner'), { recursive: true })
    write('build.gitignored/x', 'x')
    write('.gitignore', '*.gitignored/x\n')
    write('full/x', 'x')

    const first = await store.scan()
    write('empty/inner/now', 'x')
    const second = await store.scan()
    rmSync(at('full/x'))
    const third = await store.scan()

    expect([...first.meta.folders].toSorted()).toEqual(['empty', 'empty/inner'])
    expect([...second.meta.folders]).toEqual([])
    expect([...third.meta.folders]).toEqual(['full'])
  })
})

describe('a later scan', () => {
  test('is the same state if nothing changed, and one that differs otherwise', async () => {
    const { workspace, store, write, at } = await setup()
    write('a', 'one')
    write('b/c', 'two')
    write('d', 'three')
    const first = await store.scan()

    expect(await store.scan()).toBe(first)

    write('a', 'ONE')
    renameSync(at('b'), at('e'))
    rmSync(at('d'))
    mkdirSync(at('d'))
    write('d/inside', 'a folder in place of a file')
    const second = await store.scan()

    expect(await filesIn(store, second)).toEqual(filesOnDisk(workspace))
    expect(await filesIn(store, first)).toEqual({ a: '644 one', 'b/c': '644 two', d: '644 three' })

    rmSync(at('d'), { recursive: true })
    symlinkSync('/etc', at('d'))
    chmodSync(at('a'), 0o600)
    const third = await store.scan()

    expect(await filesIn(store, third)).toEqual(filesOnDisk(workspace))
    expect(third.tree).not.toBe(second.tree)
  })

  test('of one path leaves all others for the next', async () => {
    const { store, write } = await setup()
    write('a', '1')
    write('b', '1')
    await store.scan()
    write('a', '2')
    write('b', '2')
    write('c', '2')

    const some = await store.scan({ paths: ['a'] })
    const all = await store.scan()

    expect(await filesIn(store, some)).toEqual({ a: '644 2', b: '644 1' })
    expect(await filesIn(store, all)).toEqual({ a: '644 2', b: '644 2', c: '644 2' })
  })

  test('goes on in another process, also after one that was killed between two writes', async () => {
    const { workspace, store, open, write, at, folder } = await setup()
    write('a', '1')
    write('b', '1')
    await store.scan()
    const saved = readFileSync(join(folder, 'store/state.json'))
    write('a', '2')
    chmodSync(at('b'), 0o640)
    await store.scan()
    writeFileSync(join(folder, 'store/state.json'), saved)
    writeFileSync(join(folder, 'store/index.lock'), '')

    const again = open()
    const state = await again.scan()

    expect(await filesIn(again, state)).toMatchObject({ a: '644 2' })
    expect(Object.keys(filesOnDisk(workspace))).toEqual(Object.keys(await filesIn(again, state)))

    writeFileSync(join(folder, 'store/index'), 'damaged')
    const anew = open()
    expect(await filesIn(anew, await anew.scan())).toEqual(filesOnDisk(workspace))
  })

  test('of more files than the limit asks first', async () => {
    const { store, open, write } = await setup()
    for (let index = 0; index < 20; index += 1) write(`f${index}`, 'x')
    const small = open({ ...LIMITS, maxFiles: 10 })

    await expect(small.scan()).rejects.toEqual(new TooLarge({ files: 20, bytes: 20 }))
    await expect(small.scan({ confirm: async () => false })).rejects.toBeInstanceOf(TooLarge)
    const sizes: unknown[] = []
    await small.scan({ confirm: async (size) => sizes.push(size) > 0 })

    expect(sizes).toEqual([{ files: 20, bytes: 20 }])
    expect(store.isBegun).toBe(true)
  })
})

test('an unchanged tree of thousands of files is recorded once, in packs', async () => {
  const { write, open } = await setup()
  for (let index = 0; index < 1_200; index += 1) write(`d${index % 40}/f${index}`, `content ${index}`)
  const progress: [number, number][] = []

  const big = open({ ...LIMITS, maxFiles: 5_000 })
  const state = await big.scan({ onProgress: (done, total) => progress.push([done, total]) })

  expect(progress).toEqual([
    [0, 1_200],
    [1_200, 1_200],
  ])
  expect((await big.scan()).tree).toBe(state.tree)
})
