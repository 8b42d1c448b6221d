/** Runs a script of our own in the jail, without a shell of the CLI around it. */

import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { type JailPlan, jailArguments } from './jail-arguments.js'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 128 * 1024 * 1024

/** Its output; null if it failed, timed out or printed too much. */
export function runInJail(
  program: string,
  plan: JailPlan,
  script: string,
  input: string,
): Promise<Buffer | null> {
  const filter = openSync(plan.files.filter, 'r')
  const words = [...jailArguments(plan, 3), '--', '/bin/bash', '--norc', '--noprofile', '-c', script]
  const child = spawn(program, words, {
    cwd: '/',
    env: {},
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'ignore', filter],
  })
  closeSync(filter)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
      else child.kill('SIGKILL')
    })
    child.on('error', () => resolve(null))
    child.on('close', (code) => resolve(code === 0 && size <= MAX_BYTES ? Buffer.concat(chunks) : null))
    // It may have ended before it has read everything.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
