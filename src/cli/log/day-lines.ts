/** Lines of log files of one kind, one file a day: the last ones, and those that are written from now on. */

import { closeSync, fstatSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { type DayFile, dayFilesIn } from '../../lib/file/day-file.js'
import { isMissingFile, openRegularFileSync } from '../../lib/file/regular-file.js'
import { LineReader } from '../../terminal/stream/line-reader.js'

const READ = { batchBytes: 1 << 20, maxLineBytes: 64 << 20 }
const SKIP_BYTES = 1 << 20

export interface LinesQuery {
  isWanted(line: string): boolean
  /** Of the oldest file that may have wanted lines; null for all. */
  sinceDay: string | null
  /** Only this many, the newest. */
  count: number
}

/** Reads each file as far as it is written. */
export class DayLines {
  readonly #folder: string
  readonly #kind: string
  readonly #reader = new LineReader(READ)
  /** How far each file was read. Another inode is another file of that name. */
  readonly #positions = new Map<string, { inode: number; offset: number }>()

  constructor(folder: string, kind: string) {
    this.#folder = folder
    this.#kind = kind
  }

  /** The newest wanted lines, oldest first. `next` begins behind them. */
  async last({ isWanted, sinceDay, count }: LinesQuery): Promise<string[]> {
    let found: string[] = []
    for (const file of this.#files().toReversed()) {
      const isOld = sinceDay !== null && file.day < sinceDay
      if (isOld || found.length >= count) {
        this.#skip(file)
        continue
      }
      const lines: string[] = []
      for (let batch = this.#read(file); batch; batch = this.#read(file)) {
        for (const line of batch) if (isWanted(line)) lines.push(line)
        // Memory: a file may be far larger than what is shown of it.
        if (lines.length > 2 * count) lines.splice(0, lines.length - count)
        await turn()
      }
      found = [...lines, ...found].slice(-count)
    }
    return count === 0 ? [] : found
  }

  /** Lines since the last call. */
  next(isWanted: (line: string) => boolean): string[] {
    const lines: string[] = []
    for (const file of this.#files())
      for (let batch = this.#read(file); batch; batch = this.#read(file))
        lines.push(...batch.filter((line) => isWanted(line)))
    return lines
  }

  isOwn(name: string): boolean {
    return basename(name).startsWith(`${this.#kind}-`)
  }

  #files(): DayFile[] {
    return dayFilesIn(this.#folder, this.#kind)
  }

  /** The next lines of a file; null if there are none, also without the file. */
  #read({ path }: DayFile): string[] | null {
    const opened = this.#open(path)
    if (!opened) return null
    const { file, size, inode } = opened
    try {
      const known = this.#positions.get(path)
      const offset = known?.inode === inode && known.offset <= size ? known.offset : 0
      const batch = size > offset ? this.#reader.read(file, offset, size) : null
      this.#positions.set(path, { inode, offset: batch?.nextOffset ?? offset })
      return batch && batch.lines.map(({ text }) => text ?? '')
    } finally {
      closeSync(file)
    }
  }

  /** To the end of its last whole line. */
  #skip({ path }: DayFile): void {
    const opened = this.#open(path)
    if (!opened) return
    const { file, size, inode } = opened
    const from = Math.max(0, size - SKIP_BYTES)
    const end = Buffer.alloc(size - from)
    const read = readSync(file, end, 0, end.length, from)
    closeSync(file)
    const last = end.subarray(0, read).lastIndexOf('\n')
    this.#positions.set(path, { inode, offset: last < 0 ? size : from + last + 1 })
  }

  #open(path: string): { file: number; size: number; inode: number } | null {
    try {
      const { file, size } = openRegularFileSync(path)
      return { file, size, inode: fstatSync(file).ino }
    } catch (error) {
      // Deleted by retention meanwhile.
      if (isMissingFile(error)) return null
      throw error
    }
  }
}
