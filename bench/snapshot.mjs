/**
 * Recording of workspaces: a look at an unchanged tree beside `git status` of the same tree, and what 1,000 recorded turns
 * need on disk beside 1,000 commits. Needs a build.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkspace } from '../dist/change/open-workspace.js'
import { createIdSource } from '../dist/lib/id.js'
import { inTurns, report, timed } from './support/measure.mjs'

const SIZES = [10_000, 100_000]
const TURNS = 1_000
const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
const IDENTITY = ['-c', 'user.name=kim', '-c', 'user.email=kim@example.com', '-c', 'gc.auto=0']
const scratch = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))

try {
  for (const size of SIZES) await measureLooks(size)
  await measureGrowth()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function git(cwd, ...args) {
  return execFileSync(GIT, [...IDENTITY, ...args], { cwd, maxBuffer: 1 << 30 })
}

function open(name) {
  const workspace = join(scratch, name)
  mkdirSync(workspace, { recursive: true })
  const opened = openWorkspace(
    {
      program: GIT,
      folder: join(scratch, `${name}.store`),
      workspace,
      exclude: [],
      never: [],
      limits: { maxFiles: 1_000_000, maxBytes: 1e12, maxFileBytes: 1e9 },
      ignored: { maxIgnoredFiles: 1_000, maxIgnoredBytes: 1e8 },
    },
    {
      clock: { now: Date.now, after: () => () => {} },
      ids: createIdSource(),
      scanOptions: () => ({}),
      append: async () => {},
      onFault: (error) => {
        throw error
      },
    },
  )
  return { workspace, ...opened }
}

async function measureLooks(size) {
  const { workspace, changes } = open(`files-${size}`)
  for (let count = 0; count < size; count += 1) {
    const folder = join(workspace, `d${count % 100}`, `e${Math.floor(count / 100) % 10}`)
    if (count < 1_000) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `f${count}.txt`), `file ${count}\n`.repeat(20))
  }
  git(workspace, 'init', '-q')
  git(workspace, 'add', '.')
  git(workspace, 'commit', '-qm', 'first')
  git(workspace, 'status', '--porcelain')
  const first = await timed(() => changes.look())
  let calls = 0
  const wait = async (targets) => {
    const call = { sessionId: 'ses_1', toolUseId: `call${(calls += 1)}`, turnId: null, targets }
    const time = await timed(() => changes.before(call))
    await changes.after(call)
    return time
  }
  const figures = await inTurns(
    {
      'git status': async () => timed(() => git(workspace, 'status', '--porcelain')),
      'a look after a call': async () => timed(() => changes.look()),
      'the wait before an edit': () => wait(new Set(['d1/e0/f1.txt'])),
      'the wait before a command': () => wait(null),
    },
    size > 50_000 ? 10 : 30,
    20,
  )
  report({
    name: `recording a tree of ${size} files, nothing changed`,
    figures,
    goals: [
      { row: 'a look after a call', most: 1.2 },
      ...(size === 10_000
        ? ['the wait before an edit', 'the wait before a command'].map((row) => ({ row, absolute: 20 }))
        : []),
    ],
    notes: [`The first snapshot took ${(first / 1_000).toFixed(1)} s.`],
  })
}

async function measureGrowth() {
  const { workspace, store, refs, changes } = open('growth')
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line} of a file with ten kilobytes, or so\n`)
  const repository = join(scratch, 'repository')
  mkdirSync(repository)
  git(repository, 'init', '-q')
  for (let turn = 0; turn < TURNS; turn += 1) {
    lines[(turn * 37) % lines.length] = `changed in turn ${turn}, which is a line as long as others\n`
    for (const folder of [workspace, repository]) writeFileSync(join(folder, 'a.txt'), lines.join(''))
    const call = { sessionId: 'ses_1', toolUseId: `turn${turn}`, turnId: null, targets: null }
    await changes.before(call)
    await refs.keep('ses_1', await changes.look())
    await changes.after(call)
    git(repository, 'add', '.')
    git(repository, 'commit', '-qm', `turn ${turn}`)
  }
  await store.git.run(['repack', '-a', '-d', '-q'], { timeoutMs: 600_000 })
  await store.git.run(['prune', '--expire=now'], { timeoutMs: 600_000 })
  git(repository, 'repack', '-a', '-d', '-q')
  git(repository, 'prune', '--expire=now')
  report({
    name: `the store after ${TURNS} turns that change one file of 10 KB, packed`,
    unit: 'KB',
    figures: {
      'git, with a commit each': [kilobytes(join(repository, '.git/objects'))],
      snapshots: [kilobytes(join(store.git.store, 'objects'))],
    },
    goals: [{ row: 'snapshots', most: 3 }],
  })
}

function kilobytes(folder) {
  const files = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)))
  return files.reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0) / 1_024
}
