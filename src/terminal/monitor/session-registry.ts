/**
 * Claude Code's registry of its processes: `sessions/<pid>.json` in its folder. Undocumented, so it may change or
 * disappear; missing values are unknown. Next to each file there is one with a key, which is never read.
 */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFileSync } from '../../lib/file/regular-file.js'
import { asCount, asRecord, asText } from '../../lib/read-json.js'

export interface RegistryEntry {
  readonly pid: number
  readonly sessionId: string
  /** Start time of the process according to the operating system, as stored in the registry. */
  readonly startToken: string | null
  readonly status: 'idle' | 'busy' | 'waiting' | null
  readonly waitingFor: string | null
  readonly statusAt: number | null
}

const MAX_BYTES = 1024 * 1024

export class SessionRegistry {
  readonly folder: string
  readonly #cache = new Map<string, { stamp: string; entry: RegistryEntry | null }>()

  constructor(claudeFolder: string) {
    this.folder = join(claudeFolder, 'sessions')
  }

  read(): RegistryEntry[] {
    const names = list(this.folder)
    for (const name of this.#cache.keys()) if (!names.includes(name)) this.#cache.delete(name)
    return names.flatMap((name) => this.#readFile(name) ?? [])
  }

  #readFile(name: string): RegistryEntry | null {
    const path = join(this.folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return null
    const stamp = `${stats.ino}:${stats.size}:${stats.mtimeMs}`
    const known = this.#cache.get(name)
    if (known?.stamp === stamp) return known.entry
    const entry = parse(path)
    // Race: a half-written file does not parse, and is read again next time.
    if (entry) this.#cache.set(name, { stamp, entry })
    return entry ?? known?.entry ?? null
  }
}

/** Excludes the file with the key. */
export function isRegistryFile(name: string): boolean {
  return /^\d+\.json$/.test(name)
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isRegistryFile)
  } catch {
    return []
  }
}

function parse(path: string): RegistryEntry | null {
  try {
    const { pid, sessionId, procStart, status, waitingFor, statusUpdatedAt } = asRecord(
      JSON.parse(readSmallFileSync(path, MAX_BYTES).toString('utf8')),
    )
    const id = asText(sessionId)
    if (typeof pid !== 'number' || id === null) return null
    return {
      pid,
      sessionId: id,
      startToken: asText(procStart),
      status: status === 'idle' || status === 'busy' || status === 'waiting' ? status : null,
      waitingFor: asText(waitingFor),
      statusAt: asCount(statusUpdatedAt),
    }
  } catch {
    return null
  }
}
