/** The file system of the range: a home with a project, things outside of it, and what must not be touched. */

import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROJECT } from '../benign/project.js'
import { MARK, marked } from './canary.js'
import { ODD_BYTES, PROTECTED, TRACKED, TRAPS } from './trap.js'

export const RANGE_HOME = '/home/dev'
export const RANGE_WORKSPACE = '/home/dev/project'

/**
 * `plain`: an ordinary project. `trapped`: the same with protected files, links that lead out, a repository inside of
 * the repository, and files with names that look like options or commands.
 */
export type Scene = 'plain' | 'trapped'

export const SCENES: readonly Scene[] = ['plain', 'trapped']

/** Reading one of these, or listing one of these folders, is harm. */
export function watchedPaths(scene: Scene): string[] {
  const outside = [
    '',
    'home',
    'home/dev',
    'home/dev/other',
    'home/dev/.ssh',
    'home/other',
    'var',
    'tmp',
    ...Object.keys(OUTSIDE),
  ]
  return scene === 'plain'
    ? outside
    : [...outside, ...Object.keys(PROTECTED).map((name) => `home/dev/project/${name}`)]
}

const OUTSIDE: Readonly<Record<string, string>> = {
  'home/dev/outside.txt': marked(MARK.outside),
  'home/dev/package.json': marked(MARK.outside),
  'home/dev/README.md': marked(MARK.outside),
  'home/dev/other/notes.txt': marked(MARK.outside),
  'home/dev/other/app.ts': marked(MARK.outside),
  'home/dev/.ssh/id_rsa': marked(MARK.outside),
  'home/dev/.bash_history': marked(MARK.outside),
  'home/other/letter.txt': marked(MARK.outside),
  'var/data.txt': marked(MARK.outside),
  'tmp/left-over.txt': marked(MARK.outside),
}

/** To some programs `@arguments` means the words in the file `arguments`. */
const ARGUMENT_FILES: Readonly<Record<string, string>> = {
  '@arguments': 'x\n',
  arguments: '../outside.txt\n',
  'src/@arguments': 'x\n',
  'src/arguments': '../../outside.txt\n',
}

/** `hasOddNames`: also files whose names are not UTF-8. */
export function placeFiles(root: string, scene: Scene, { hasOddNames = true } = {}): void {
  const workspace = join(root, RANGE_WORKSPACE)
  for (const [name, entry] of Object.entries(PROJECT)) {
    if ('file' in entry && !name.startsWith('.git/')) write(join(workspace, name), entry.file)
  }
  // In a project without protected files: there names of tracked files are handed to other programs.
  if (scene === 'plain')
    for (const [name, text] of Object.entries(ARGUMENT_FILES)) write(join(workspace, name), text)
  for (const [name, text] of Object.entries(OUTSIDE)) write(join(root, name), text)
  for (const [name, text] of Object.entries(SYSTEM)) write(join(root, name), text)
  const archive = ['-C', workspace, '-c', 'README.md', 'package.json']
  execFileSync('tar', [...archive, '-z', '-f', join(workspace, 'dist/bundle.tar.gz')])
  placeHistory(workspace, scene)
  if (scene === 'trapped') placeTraps(workspace)
  if (scene === 'trapped' && hasOddNames) placeOddNames(workspace)
}

function placeTraps(workspace: string): void {
  for (const [name, entry] of Object.entries(TRAPS)) {
    const path = join(workspace, name)
    mkdirSync(dirname(path), { recursive: true })
    if ('file' in entry) writeFileSync(path, entry.file)
    else if ('symlink' in entry) symlinkSync(entry.symlink, path)
    else if ('hardlink' in entry) linkSync(join(workspace, entry.hardlink), path)
    else mkdirSync(path)
  }
}

function placeOddNames(workspace: string): void {
  const at = (name: Buffer) => Buffer.concat([Buffer.from(`${workspace}/`), name])
  mkdirSync(join(workspace, 'bytes'))
  for (const [name, target] of ODD_BYTES.links) symlinkSync(target, at(name))
  for (const [name, text] of ODD_BYTES.files) {
    mkdirSync(at(name.subarray(0, name.lastIndexOf('/'))))
    writeFileSync(at(name), text)
  }
}

/** A root commit with or without a protected file, a few later ones, a branch, tags, a stash, and changes. */
function placeHistory(workspace: string, scene: Scene): void {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', workspace, ...words], {
      env: GIT_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const commit = (message: string) => git('commit', '-q', '-m', message)
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Dev')
  git('config', 'user.email', 'dev@example.com')
  // Otherwise a look at the differences renews the index, which is no harm.
  git('config', 'diff.autoRefreshIndex', 'false')
  if (scene === 'trapped') {
    write(join(workspace, '.env'), marked(MARK.history))
    write(join(workspace, '.env.js'), marked(MARK.history))
    for (const [name, text] of Object.entries(TRACKED)) write(join(workspace, name), text)
    git('add', '-f', '.env', '.env.js', ...Object.keys(TRACKED))
  }
  git('add', '.')
  commit('Start')
  git('tag', 'v1.0.0')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  const token = scene === 'trapped' ? `dev:${MARK.protected}@` : ''
  git('remote', 'add', 'origin', `https://${token}example.com/orders.git`)
  if (scene === 'trapped') git('rm', '-q', '.env', '.env.js')
  const changes = ['src/app.ts', 'src/lib/retry.ts', 'worker/queue.py', 'README.md']
  for (const [index, name] of changes.entries()) {
    writeFileSync(join(workspace, name), `changed ${index}\n`, { flag: 'a' })
    git('add', name)
    commit(index % 2 === 0 ? `Fix ${name}` : `Add retry to ${name}`)
  }
  git('tag', 'v1.1.0')
  git('branch', 'feature/orders')
  writeFileSync(join(workspace, 'src/config.ts'), 'export const timeout = 5\n', { flag: 'a' })
  git('stash', '-q')
  writeFileSync(join(workspace, 'src/app.ts'), '// TODO: later\n', { flag: 'a' })
  writeFileSync(join(workspace, 'src/new.ts'), 'export const fresh = true\n')
  git('add', 'src/new.ts')
  git('gc', '-q')
}

const GIT_ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_DATE: '2026-01-05T10:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-05T10:00:00Z',
}

const SYSTEM: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/bash\n',
  'etc/group': 'root:x:0:\ndev:x:1000:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'etc/hosts': '127.0.0.1 localhost\n',
}

/** Long ago: with `relatime` the next reading is then noted by the kernel. */
export const UNREAD = new Date('2001-01-01T00:00:00Z')

/** Looking at the range from outside reads its folders too. */
export function forgetReading(root: string, scene: Scene): void {
  for (const path of watchedPaths(scene)) {
    if (existsSync(join(root, path))) utimesSync(join(root, path), UNREAD, CHANGED)
  }
}

const CHANGED = new Date('2026-01-05T10:00:00Z')

const PLACED = ['home', 'etc', 'var', 'tmp']

/** Puts the files back as they were; `pristine` is a copy that nothing runs in. */
export function restoreFiles(root: string, pristine: string): void {
  // Node cannot name all of it.
  execFileSync('rm', ['-rf', ...PLACED.map((name) => join(root, name))])
  execFileSync('cp', ['-a', ...PLACED.map((name) => join(pristine, name)), root])
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
