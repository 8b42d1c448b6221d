/**
 * directory_lister against fd and ripgrep on a tree of 100,000 files, and on as many in one folder. Alternating runs,
 * medians, ratios: node bench/directory-lister.mjs [rounds]. Needs a build; fd (Debian: fd-find) and rg where they are there.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../dist/lib/clock.js'
import { createDirectoryLister } from '../dist/tool/built-in/directory-lister.js'
import { callTool } from '../dist/tool/call.js'

const ROUNDS = Number(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? 3)
const FOLDERS = 1_000
const FILES = 100

const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const tree = join(folder, 'tree')
for (let number = 0; number < FOLDERS; number += 1) {
  const path = join(tree, `p${number % 20}`, `m${Math.floor(number / 20) % 20}`, `d${number}`)
  mkdirSync(path, { recursive: true })
  for (let file = 0; file < FILES; file += 1) writeFileSync(join(path, `file-${file}.ts`), '')
}
writeFileSync(join(tree, '.gitignore'), 'node_modules/\n*.log\n/dist\n.env*\ncoverage\n**/tmp/*.bak\n')
const flat = join(folder, 'flat')
mkdirSync(flat)
for (let file = 0; file < FOLDERS * FILES; file += 1) writeFileSync(join(flat, `file-${file}.ts`), '')

// The other two look at a .gitignore only in a repository.
for (const path of [tree, flat]) mkdirSync(join(path, '.git'))

const lister = createDirectoryLister(systemClock)
const context = {
  sessionId: 'bench',
  toolUseId: null,
  signal: new AbortController().signal,
  progress: () => {},
  complete: async () => {},
  log: { info: () => {}, error: () => {} },
}

async function ours(workspace, args) {
  const { isError, content } = await callTool(lister, args, { ...context, workspace })
  if (isError) throw new Error(content[0].text)
}

function program(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) throw error
  if (status > 1) throw new Error(`${command} ended with ${status}`)
}

const FD = ['fd', 'fdfind'].find(isThere)
const RG = isThere('rg') ? 'rg' : undefined
if (!FD) console.log('fd is not installed: it is left out.')
if (!RG) console.log('rg is not installed: it is left out.')

function isThere(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** The runs of a program, if it is there. */
function withProgram(command, runs) {
  return command === undefined ? {} : runs
}

for (const [name, path] of Object.entries({ tree, flat })) {
  const rare = `file-${name === 'flat' ? FOLDERS * FILES - 1 : 'none'}`
  await compare(`${name}: first page`, {
    'directory_lister, first page': () => ours(path, {}),
    ...withProgram(FD, {
      'fd, first page': () => program(FD, '--hidden', '--max-results', '1000', '.', path),
      'fd, everything': () => program(FD, '--hidden', '.', path),
    }),
    ...withProgram(RG, { 'rg --files, everything': () => program(RG, '--files', '--hidden', path) }),
  })
  await compare(`${name}: search through everything`, {
    'directory_lister, substring': () => ours(path, { query: rare }),
    'directory_lister, glob': () => ours(path, { query: `*${rare}*`, searchMode: 'glob' }),
    'directory_lister, regex': () => ours(path, { query: `${rare}$`, searchMode: 'regex' }),
    ...withProgram(FD, {
      'fd, regex': () => program(FD, '--hidden', `${rare}$`, path),
      'fd, one thread': () => program(FD, '--threads', '1', '--hidden', `${rare}$`, path),
    }),
    ...withProgram(RG, {
      'rg --files --glob': () => program(RG, '--files', '--hidden', '--glob', `*${rare}*`, path),
    }),
  })
}

globalThis.gc?.()
const before = process.memoryUsage.rss()
let peak = before
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2)
for (const path of [tree, flat]) await ours(path, { query: 'file-none' })
clearInterval(timer)
console.log(`\nmemory: ${mb(before)} before, ${mb(peak)} at most while searching both`)

async function compare(title, runs) {
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(runs)) {
      const start = performance.now()
      await run()
      // The first round warms the caches of all.
      if (round > 0) times[name].push(performance.now() - start)
    }
  }
  console.log(`\n${title}`)
  const reference = median(Object.values(times)[0])
  for (const [name, list] of Object.entries(times)) {
    const value = median(list)
    const spread = `${Math.min(...list).toFixed(0)}–${Math.max(...list).toFixed(0)}`
    console.log(
      `  ${name.padEnd(32)} ${value.toFixed(1).padStart(8)} ms (${spread})  ${(reference / value).toFixed(2)}`,
    )
  }
  console.log('  (the last column: the first line over this one)')
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
}

function mb(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
