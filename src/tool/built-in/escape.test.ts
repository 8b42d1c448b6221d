/** Nothing outside the workspace is read, listed or written, whatever the path, and also when symlinks change meanwhile (race). */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { aToolContext } from '../../../test/support/tool-context.js'
import { systemClock } from '../../lib/clock.js'
import { callTool } from '../call.js'
import { createDirectoryLister } from './directory-lister.js'
import { createFileReader } from './file-reader.js'
import { createTextEditTool } from './text-edit-tool.js'

const SECRET = 'THE-SECRET'
const guard = () => ({ allowed: true as const })
const tools = [createFileReader(guard), createTextEditTool(guard), createDirectoryLister(systemClock)]

const PARTS =
  '..|.||sub|deep|data.txt|outside|Project|PROJECT|Project-2|made.txt|..\\|...|%2e%2e|\u2024\u2024|..\0|~|proc/self/cwd|proc/self/fd'

async function makePlace() {
  const folder = await temporaryFolder()
  const outside = join(folder, 'outside')
  const workspace = join(folder, 'Project')
  for (const name of [
    outside,
    join(outside, 'deep'),
    join(folder, 'Project-2'),
    join(workspace, 'sub/deep'),
  ]) {
    await mkdir(name, { recursive: true })
  }
  for (const name of ['outside/data.txt', 'outside/deep/data.txt', 'Project-2/data.txt', 'data.txt']) {
    await writeFile(join(folder, name), SECRET)
  }
  // Only outside: a listing that shows this name has left the workspace.
  for (const name of [outside, join(outside, 'deep')]) await writeFile(join(name, `${SECRET}.txt`), '')
  for (const name of ['data.txt', 'sub/data.txt', 'sub/deep/data.txt']) {
    await writeFile(join(workspace, name), 'inside')
  }
  const before = await snapshot(folder)
  return {
    folder,
    outside,
    workspace,
    expectUntouched: async () => expect(await snapshot(folder)).toEqual(before),
  }
}

/** Everything outside the workspace. */
async function snapshot(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(folder, 'Project/')))
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(name, 'utf8')])),
  )
}

/** The answer of each tool to a path. */
async function tryAll(workspace: string, path: string): Promise<string> {
  const context = aToolContext({ workspace })
  const edits = [[{ old_text: SECRET, new_text: 'changed' }], [{ old_text: '', new_text: 'made' }]]
  const [reader, editor, lister] = tools
  const calls = [
    [reader, { path }],
    [editor, { path, edits: edits[0] }],
    [editor, { path, edits: edits[1] }],
    [lister, { targetPath: path }],
    [lister, { targetPath: path, query: 'e' }],
  ] as const
  const shown: string[] = []
  for (const [tool, args] of calls) {
    if (tool) shown.push(JSON.stringify(await callTool(tool, args, context)))
  }
  return shown.join('\n')
}

test('by any path: dots, links, absolute, other case, tricks', async () => {
  const { folder, outside, workspace, expectUntouched } = await makePlace()
  const links: Record<string, string> = {
    'to-folder': outside,
    'to-file': join(outside, 'data.txt'),
    'to-parent': '..',
    'to-root': '/',
    'sub/up': '../..',
    'sub/chain': '../to-folder',
    'sub/deep/chain': '../chain',
    'to-new': join(outside, 'made.txt'),
    'to-sibling': '../Project-2',
    'to-self': '/proc/self/root',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(workspace, name))

  const part = fc.constantFrom(
    ...PARTS.split('|'),
    ...Object.keys(links).map((name) => name.split('/').at(-1) ?? ''),
  )
  const start = fc.constantFrom(
    '',
    '',
    '',
    '/',
    `${folder}/`,
    `${workspace}/`,
    `${workspace.toUpperCase()}/`,
    `${workspace}-2/`,
    '/proc/self/root/',
    `/proc/self/cwd/`,
    '~/',
    './',
    '//',
  )
  const path = fc
    .tuple(start, fc.array(part, { maxLength: 5 }))
    .map(([from, parts]) => from + parts.join('/'))
  const tries = fc.sample(path, 300)

  const escapes: string[] = []
  for (const attempt of tries) {
    const shown = await tryAll(workspace, attempt)
    if (shown.includes(SECRET)) escapes.push(attempt)
  }
  expect(escapes).toEqual([])
  await expectUntouched()
})

/** Swaps a name between what it is and a link to the outside, as fast as it can, until it is ended. */
const SWAPPER = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs')
  const [name, target] = process.argv.slice(1)
  // A tool may make something in the moment when nothing is there.
  const clear = () => { for (;;) try { return rmSync(name, { recursive: true, force: true }) } catch {} }
  const insist = (action) => { for (;;) try { return action() } catch { clear() } }
  process.stdout.write('ready')
  for (;;) {
    renameSync(name, name + '.kept')
    insist(() => symlinkSync(target, name))
    clear()
    insist(() => renameSync(name + '.kept', name))
  }`

interface Swapping {
  isRunning(): boolean
  stop(): Promise<void>
}

async function startSwapping(name: string, target: string): Promise<Swapping> {
  const child: ChildProcess = spawn(process.execPath, ['-e', SWAPPER, name, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const stop = async () => {
    if (!isRunning()) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(stop)
  if (child.stdout) await once(child.stdout, 'data')
  return { isRunning, stop }
}

test.each([
  [
    'a folder on the way',
    'sub',
    'outside',
    ['sub/data.txt', 'sub/deep/data.txt', 'sub/made.txt', 'sub/deep', '.'],
  ],
  ['the last folder', 'sub/deep', 'outside/deep', ['sub/deep/data.txt', 'sub/deep', 'sub', '.']],
  ['the file itself', 'data.txt', 'outside/data.txt', ['data.txt', '.']],
])('by a link that another process swaps in for %s', { timeout: 60_000 }, async (_, name, target, paths) => {
  const { folder, workspace, expectUntouched } = await makePlace()
  const swapping = await startSwapping(join(workspace, name), join(folder, target))

  const escapes: string[] = []
  for (let count = 0; count < 70; count += 1) {
    const attempt = paths[count % paths.length] ?? ''
    const shown = await tryAll(workspace, attempt)
    if (shown.includes(SECRET)) escapes.push(attempt)
  }

  expect(swapping.isRunning()).toBe(true)
  await swapping.stop()
  expect(escapes).toEqual([])
  await expectUntouched()
})
