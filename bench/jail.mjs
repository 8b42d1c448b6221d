/**
 * Overhead of the read-only jail for a command over plain `bash -c`: node bench/jail.mjs [rounds].
 * Alternating runs, medians, in workspaces of several sizes. Needs a build and bubblewrap.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJail } from '../dist/jail/jail.js'
import { inTurns, report, timed } from './support/measure.mjs'

const ROUNDS = Number(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? 100)
const SIZES = {
  'small: 1,000 files in 100 folders, 2 protected': { folders: 100, secrets: 2 },
  'large: 10,000 files in 1,000 folders, 2 protected': { folders: 1_000, secrets: 2 },
  'very large: 100,000 files in 10,000 folders, 2 protected': { folders: 10_000, secrets: 2 },
  'many to hide: 1,000 files in 100 folders, 100 protected': { folders: 100, secrets: 100 },
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-jail-'))
const home = join(folder, 'home')
mkdirSync(home)
const { platform, arch } = process
const jail = createJail({ home, claudeProgram: null, mark: null, platform, arch })
const { state, reason } = await jail.verify()
if (state !== 'verified') {
  console.error(`There is no jail here: ${reason}`)
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}

const env = { PATH: '/usr/bin:/bin', HOME: folder }
const command = 'cat folder-1/1.txt'

function makeWorkspace(path, { folders, secrets }) {
  for (let index = 0; index < folders; index++) {
    mkdirSync(join(path, `folder-${index}`), { recursive: true })
    for (let file = 0; file < 10; file++)
      writeFileSync(join(path, `folder-${index}`, `${file}.txt`), 'text\n')
    if (index < secrets) writeFileSync(join(path, `folder-${index}`, 'prod.env'), 'KEY=value\n')
  }
}

async function run(text, cwd) {
  const child = spawn('/bin/bash', ['-c', text], { cwd, env, stdio: 'ignore' })
  await once(child, 'exit')
}

for (const [index, [name, size]] of Object.entries(SIZES).entries()) {
  const workspace = join(folder, `workspace-${index}`)
  makeWorkspace(workspace, size)
  const wrap = () => jail.wrap({ command, cwd: workspace, workspace, env })
  const figures = await inTurns(
    {
      'plain bash -c': () => timed(() => run(command, workspace)),
      'in the jail': () => timed(async () => run((await wrap()).command, workspace)),
    },
    ROUNDS,
  )
  const sorted = (values) => values.toSorted((one, other) => one - other)
  const [plain, jailed] = Object.values(figures).map(sorted)
  // On a machine that does other things as well, the quick ones are closer to what the jail itself costs.
  const quick = jailed[Math.floor(ROUNDS / 10)] - plain[Math.floor(ROUNDS / 10)]
  report({
    name: `a command in the read-only jail, ${name}`,
    figures,
    goals: [{ row: 'in the jail', mostOver: 15 }],
    notes: [`10th percentile: ${quick.toFixed(1)} ms over the baseline`],
  })
}
await jail.close()
rmSync(folder, { recursive: true, force: true })
