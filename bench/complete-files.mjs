/**
 * Completion of file names in a repository of 100,000 files, over HTTP, against running git for each letter. Also how long
 * other requests wait while the index is made, and how soon a new file is found.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurns, percentile, report, timed } from './support/measure.mjs'
import { bench, makePlace, startDaemon, startModel } from './support/place.mjs'

const ROUNDS = 7
const FOLDERS = 2_000
const FILES = 50
const QUERIES = ['c', 'comp', 'module-12/feature7', 'm12f3c9', 'component-49.json', 'no such file']

await bench(async () => {
  const at = makePlace()
  makeRepository(at.cwd, at.env)
  const { client } = await startDaemon(at, await startModel())
  const search = (q) => client.searchFiles({ query: { folder: at.cwd, q, limit: 20 } })

  const waits = []
  const ready = new AbortController()
  const indexMs = await timed(async () => {
    const others = (async () => {
      while (!ready.signal.aborted) waits.push(await timed(() => client.health()))
    })()
    while ((await search('comp')).state !== 'ready');
    ready.abort()
    await others
  })
  const { total } = await search('')
  const figures = await inTurns(
    {
      'git ls-files and a filter': (round) => timed(() => byGit(at, QUERIES[round % QUERIES.length])),
      'signalbox, one letter': (round) => timed(() => search(QUERIES[round % QUERIES.length])),
    },
    ROUNDS * QUERIES.length,
  )
  writeFileSync(join(at.cwd, 'packages/brand-new.ts'), '')
  const foundMs = await timed(async () => {
    while ((await search('brand-new')).files.length === 0);
  })
  report({
    name: `completion in ${total.toLocaleString('en')} files and folders`,
    figures,
    goals: [
      { row: 'signalbox, one letter', absolute: 50 },
      { row: 'signalbox, one letter', most: 1 },
    ],
    notes: [
      `slowest of 20 letters: ${percentile(figures['signalbox, one letter'], 0.95).toFixed(1)} ms`,
      `index made in ${indexMs.toFixed(0)} ms; other requests meanwhile ${percentile(waits, 0.5).toFixed(1)} ms, at most ${Math.max(...waits).toFixed(0)} ms (${waits.length})`,
      `a new file is found after ${foundMs.toFixed(0)} ms`,
    ],
  })
})

function makeRepository(root, env) {
  for (let number = 0; number < FOLDERS; number += 1) {
    const folder = join(root, 'packages', `module-${number % 40}`, `feature${Math.floor(number / 40)}`)
    mkdirSync(folder, { recursive: true })
    for (let file = 0; file < FILES; file += 1)
      writeFileSync(join(folder, `component-${file}${['.ts', '.test.ts', '.json'][file % 3]}`), '')
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n*.log\n/dist\n.env*\ncoverage\n**/tmp/*.bak\n')
  spawnSync('git', ['init', '-q'], { cwd: root, env })
  spawnSync('git', ['add', '-A'], { cwd: root, env })
}

function byGit({ cwd, env }, query) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = spawnSync('git', args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 })
  return stdout
    .split('\0')
    .filter((path) => path.toLowerCase().includes(query))
    .slice(0, 20)
}
