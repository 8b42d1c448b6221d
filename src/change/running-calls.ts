/** The calls that run in a workspace, on disk: what they changed is recorded even if the daemon is killed meanwhile. */

import { existsSync, readFileSync } from 'node:fs'
import type { RunningCall } from './attribution.js'

export function writeRunning(calls: readonly RunningCall[]): string {
  return JSON.stringify(calls.map((call) => ({ ...call, targets: call.targets && [...call.targets] })))
}

export function readRunning(path: string): RunningCall[] {
  if (!existsSync(path)) return []
  try {
    const calls = JSON.parse(readFileSync(path, 'utf8')) as (Omit<RunningCall, 'targets'> & {
      targets: string[] | null
    })[]
    return calls.map((call) => ({ ...call, targets: call.targets && new Set(call.targets) }))
  } catch {
    return [] // It was killed while it wrote this.
  }
}
