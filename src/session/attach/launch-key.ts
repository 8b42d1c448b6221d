/** Digests that say whether a running process is as a new one would be. */

import { digest } from '../../lib/digest.js'
import type { Launch } from '../claude/port.js'
import type { KeptRecord } from './launch-folder.js'

/** `sdk`: the version that drives the process. */
export function keptRecordOf(launch: Launch, sdk: string): KeptRecord {
  const { cwd, options, mcpServers, deniedReads, excludedMemory, tools, hooks } = launch
  return {
    sdk,
    // Not the mode, the model and the effort, which change while it runs; not the environment of the daemon, which may be started elsewhere.
    settings: keyOf([cwd, options, mcpServers, deniedReads, excludedMemory]),
    callbacks: keyOf([tools, hooks]),
  }
}

function keyOf(value: unknown): string {
  return digest(JSON.stringify(value))
}
