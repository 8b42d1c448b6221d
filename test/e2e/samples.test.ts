/** The first sample of the README and of docs/library.md run as printed, but for the paths and the port of the reader. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makePlace, type Place, startDaemonProcess } from '../support/daemon-process.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const place = () => makePlace(() => ({ rules: [{ reply: [{ text: 'All tests pass.' }] }] }))

test('README: a client of the daemon prints the events of a turn', async () => {
  // The daemon of the sample is in the default home.
  const at = await place()
  const home = join(at.folder, '.signalbox')
  const daemon = await startDaemonProcess({ ...at, home })

  const printed = await run(at, sampleOf('README.md', 0).replace('http://127.0.0.1:4747', daemon.url))

  const types = printed.trim().split('\n')
  expect([types[0], types.at(-1)]).toEqual(['session.created', 'turn.ended'])
  await daemon.stop()
})

test('docs/library.md: createSignalbox prints the reply', async () => {
  const at = await place()
  // The options of the sample name no script: without an account the model of the demo replies.
  expect(await run(at, sampleOf('docs/library.md', 0))).toMatch(/\S/)
})

test('docs/library.md: evaluatePolicy and the scripted model', async () => {
  const at = await place()
  expect(await run(at, sampleNaming('evaluatePolicy'))).toMatch(/^(?:ask|deny) \S/)
  expect(await run(at, sampleNaming('startScriptedModel'))).toMatch(/^http:/)
})

function samples(file: string): string[] {
  const blocks = readFileSync(join(ROOT, file), 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)
  return Array.from(blocks, ([, code = '']) => code)
}

function sampleOf(file: string, index: number): string {
  const code = samples(file)[index]
  if (code === undefined) throw new Error(`${file} has no sample ${index}.`)
  return code
}

function sampleNaming(name: string): string {
  const code = samples('docs/library.md').find((sample) => sample.includes(name))
  if (code === undefined) throw new Error(`docs/library.md has no sample with ${name}.`)
  return code
}

/** In a project of its own that has the package installed. Resolves with what was printed. */
async function run({ folder, cwd, env }: Place, code: string): Promise<string> {
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await symlink(ROOT, join(folder, 'node_modules/signalbox')).catch(() => {})
  const file = join(folder, 'sample.mjs')
  await writeFile(
    file,
    code.replaceAll('/path/to/project', cwd).replaceAll('/path/to/data', join(folder, 'data')),
  )
  const child = spawn(process.execPath, [file], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect([child.exitCode, stderr]).toEqual([0, ''])
  return stdout
}
