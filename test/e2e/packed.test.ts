/** The package as a user gets it: packed, installed into an empty project, imported, started. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { nodeBinary } from '../../scripts/node-binary.mjs'
import { temporaryFolder } from '../support/temporary-folder.js'
import { share, whenDone } from '../support/when-done.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const NODES = [20, 22, 24]
const SLOW_MS = 300_000

interface Installed {
  project: string
  /** The output of npm while it installed the package. */
  output: string
}

const installed = share(installPacked, SLOW_MS)

test('npm installs it without a warning about scripts of the package', () => {
  expect(installed().output).not.toMatch(/prepare|signalbox@?\S* \(/i)
})

test('the manifest has no script that runs when somebody installs it', () => {
  const manifest = JSON.parse(
    readFileSync(join(installed().project, 'node_modules/signalbox/package.json'), 'utf8'),
  ) as { scripts: Record<string, string> }
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']
  expect(hooks.filter((name) => name in manifest.scripts)).toEqual([])
})

test('documents and examples are in it, and an example runs from there', async () => {
  const folder = join(installed().project, 'node_modules/signalbox')
  for (const name of ['docs/policy.md', 'examples/custom-tool.mjs', 'CHANGELOG.md', 'LICENSE', 'README.md'])
    expect([name, existsSync(join(folder, name))]).toEqual([name, true])
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'examples/custom-tool.mjs')], {
    cwd: installed().project,
    env: cleanEnvironment(installed().project),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})

describe.each(NODES)('on Node %s', (major) => {
  test('every entry point can be imported', { timeout: SLOW_MS }, async (context) => {
    const node = nodeBinary(major)
    if (node === null) return context.skip(`Node ${major} is not in the registry for this machine.`)
    const program = join(installed().project, 'import-all.mjs')
    await writeFile(program, IMPORT_ALL)
    const { status, stdout, stderr } = spawnSync(node, [program], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({ version: major, missing: [] })
  })
})

test('npx signalbox starts', async () => {
  const home = join(installed().project, 'box')
  const child = spawn('npx', ['--no-install', 'signalbox', 'start', '--scripted', '--port', '0', '--json'], {
    cwd: installed().project,
    env: { ...cleanEnvironment(installed().project), SIGNALBOX_HOME: home, SIGNALBOX_WARM: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  whenDone(() => endGroup(child))
  const ready = await firstLine(child)
  expect(JSON.parse(ready)).toMatchObject({ event: 'ready', model: 'scripted' })
})

const IMPORT_ALL = `
import * as library from 'signalbox'
import * as client from 'signalbox/client'
import * as scripted from 'signalbox/scripted'
import * as protocol from 'signalbox/protocol'
const wanted = {
  createSignalbox: library, ClaudeManager: library, ClaudeCodeBuilder: library, defineTool: library,
  ToolRegistry: library, LifecycleSessionMonitor: library, FileStreamConsumer: library, evaluatePolicy: library,
  createClient: client, startScriptedModel: scripted, applyEvents: protocol,
}
const missing = Object.entries(wanted).filter(([name, from]) => from[name] === undefined).map(([name]) => name)
console.log(JSON.stringify({ version: Number(process.versions.node.split('.')[0]), missing }))
`

async function installPacked(): Promise<Installed> {
  const project = join(await temporaryFolder(), 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }')
  // Built by the command that runs these tests: packing builds nothing again.
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  const flags = ['--prefer-offline', '--no-audit', '--no-fund']
  const { status, stdout, stderr } = spawnSync('npm', ['install', ...flags, join(project, filename)], {
    cwd: project,
    encoding: 'utf8',
  })
  const output = `${stdout}${stderr}`
  expect([status, output]).toEqual([0, output])
  return { project, output }
}

/** Nothing of the real home is seen or touched. */
function cleanEnvironment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('started without pipes')
  for await (const line of createInterface(child.stdout)) return line
  throw new Error('it printed nothing')
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await exited
}
