/**
 * What the read-only jail costs a command over plain `bash -c`: node bench/jail.mjs [rounds]. Alternating runs, medians. Needs a
 * build and bubblewrap.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJail } from '../dist/jail/jail.js'
import { inTurns, report, timed } from './support/measure.mjs'

const ROUNDS = Number(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? 100)
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-jail-'))
const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')]
for (const path of [home, workspace]) mkdirSync(path)
// A workspace of an ordinary size: a thousand files in a hundred folders, two of them protected.
for (let index = 0; index < 100; index++) {
  mkdirSync(join(workspace, `folder-${index}`))
  for (let file = 0; file < 10; file++)
    writeFileSync(join(workspace, `folder-${index}`, `${file}.txt`), 'text\n')
}
writeFileSync(join(workspace, '.env'), 'KEY=value\n')
writeFileSync(join(workspace, 'folder-7', 'server.pem'), 'key\n')

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
const wrap = async () => (await jail.wrap({ command, cwd: workspace, workspace, env })).command

async function run(text) {
  const child = spawn('/bin/bash', ['-c', text], { cwd: workspace, env, stdio: 'ignore' })
  await once(child, 'exit')
}

const figures = await inTurns(
  {
    'plain bash -c': () => timed(() => run(command)),
    'in the jail': () => timed(async () => run(await wrap())),
    'of that, finding what to hide': () => timed(wrap),
  },
  ROUNDS,
)
rmSync(folder, { recursive: true, force: true })
report({
  name: 'a command in the read-only jail',
  figures,
  goals: [{ row: 'in the jail', mostOver: 15 }],
})
