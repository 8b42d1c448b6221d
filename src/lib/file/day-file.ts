/** Log files of one day each, such as `sdk-2026-11-17.jsonl`, in one folder. */

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface DayFile {
  path: string
  /** In UTC. */
  day: string
}

export function dayFile(folder: string, kind: string, day: string): string {
  return join(folder, `${kind}-${day}.jsonl`)
}

/** Oldest first. Empty without the folder. */
export function dayFilesIn(folder: string, kind: string): DayFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, named, day] = /^([a-z]+)-(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name) ?? []
      return named === kind && day !== undefined ? [{ path: join(folder, name), day }] : []
    })
    .toSorted((one, other) => (one.day < other.day ? -1 : 1))
}

/** Deletes the files of days before this moment. */
export function pruneDayFiles(folder: string, kind: string, before: string): void {
  const limit = before.slice(0, 10)
  for (const { path, day } of dayFilesIn(folder, kind)) if (day < limit) rmSync(path, { force: true })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Nothing has been written yet.
  }
}
