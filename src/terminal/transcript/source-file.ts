/**
 * Reads a transcript from where it was left. The file may have been replaced, truncated or rewritten: then it is read
 * from its start, and lines that are known are skipped by their marks. A torn last line waits for its end.
 */

import { type BigIntStats, closeSync, fstatSync, lstatSync, readSync, realpathSync } from 'node:fs'
import { openRegularFileSync } from '../../lib/file/regular-file.js'
import { LineReader } from '../stream/line-reader.js'
import { readLine, type TranscriptLine } from './line.js'
import type { FileState } from './state.js'

/** A line that is too long to be kept. */
export interface LongLine {
  readonly offset: number
  readonly length: number
  /** Its beginning. */
  readonly head: string
}

export interface SourceItem {
  readonly line: TranscriptLine | null
  readonly long: LongLine | null
  readonly at: number
  readonly end: number
}

const MAX_LINE_BYTES = 16 << 20
/** Subagents are many, and all of their files are read ahead at the same time. */
const AGENT_BATCH_BYTES = 64 << 10
const BATCH_BYTES = 256 << 10
/** A file can be large without a line end: it must not take the event loop. */
const MAX_SCAN_BYTES = 16 << 20
const HEAD_BYTES = 16 << 10
const TAIL_BYTES = 32

export class SourceFile {
  readonly path: string
  readonly #batchBytes: number
  #items: SourceItem[] = []
  /** Where the lines of `#items` end. */
  #loadedTo = 0
  #at = 0
  /** Kept only while it scans a long line. */
  #reader: LineReader | null = null
  /** The file when it had nothing new: it is opened again when it has changed. */
  #exhausted: string | null = null

  constructor(path: string, { isAgent = false } = {}) {
    this.path = path
    this.#batchBytes = isAgent ? AGENT_BATCH_BYTES : BATCH_BYTES
  }

  /** The next line. `null`: there is none yet. `skipped`: only lines without interest were read; call again. */
  next(state: FileState): SourceItem | 'skipped' | null {
    if (this.#items.length === 0 && !this.#load(state)) return null
    return this.#items[0] ?? 'skipped'
  }

  take(state: FileState): void {
    const item = this.#items.shift()
    if (!item) return
    state.offset = this.#items.length === 0 ? this.#loadedTo : item.end
    if (this.#items.length === 0) this.#noteTail(state)
  }

  /** Begins at the end of the file. */
  skip(state: FileState): void {
    const opened = openTranscript(this.path)
    if (!opened) return
    const { file, stats } = opened
    const offset = Number(stats.size)
    Object.assign(state, {
      offset,
      device: String(stats.dev),
      inode: String(stats.ino),
      tail: tailOf(file, offset),
    })
    closeSync(file)
  }

  /** Forgets what was read ahead, because the state was restored. */
  reset(): void {
    this.#items = []
    this.#exhausted = null
  }

  /** Returns whether anything was read. */
  #load(state: FileState): boolean {
    const stamp = stampOf(this.path)
    if (stamp !== null && stamp === this.#exhausted) return false
    const opened = openTranscript(this.path)
    if (!opened) return false
    const { file, stats } = opened
    try {
      if (!isContinued(file, stats, state)) {
        Object.assign(state, { offset: 0, tail: '' })
        this.#reader = null
      }
      state.device = String(stats.dev)
      state.inode = String(stats.ino)
      const reader = (this.#reader ??= new LineReader({
        batchBytes: this.#batchBytes,
        maxLineBytes: MAX_LINE_BYTES,
        maxScanBytes: MAX_SCAN_BYTES,
      }))
      const batch = reader.read(file, state.offset, Number(stats.size))
      if (!reader.isScanning) this.#reader = null
      this.#exhausted = batch ? null : stamp
      if (!batch) return false
      this.#loadedTo = batch.nextOffset
      for (const { offset, length, text } of batch.lines) {
        const end = offset + length + 1
        const line = text === null ? null : readLine(text)
        const long = text === null ? { offset, length, head: headOf(file, offset) } : null
        this.#at = line?.at ?? this.#at
        if (line || long) this.#items.push({ line, long, at: this.#at, end })
      }
      if (this.#items.length === 0) {
        state.offset = batch.nextOffset
        state.tail = tailOf(file, state.offset)
      }
      return true
    } finally {
      closeSync(file)
    }
  }

  #noteTail(state: FileState): void {
    const opened = openTranscript(this.path)
    if (!opened) return
    state.tail = tailOf(opened.file, state.offset)
    closeSync(opened.file)
  }
}

/** Null if there is no such regular file at exactly this path: no symlink is followed, not even that of a folder. */
export function openTranscript(path: string): { file: number; stats: BigIntStats } | null {
  let file: number | null = null
  try {
    if (realpathSync(path) !== path) return null
    file = openRegularFileSync(path).file
    const stats = fstatSync(file, { bigint: true })
    // Race: it may have been replaced by a symlink between the two.
    const named = lstatSync(path, { bigint: true })
    if (named.ino === stats.ino && named.dev === stats.dev) return { file, stats }
  } catch {
    // It was deleted, replaced or made unreadable meanwhile.
  }
  if (file !== null) closeSync(file)
  return null
}

/** Identifies the content of the file, without opening it. Taken before it is read: a change meanwhile is seen. */
function stampOf(path: string): string | null {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
  } catch {
    return null
  }
}

function isContinued(file: number, stats: BigIntStats, { offset, device, inode, tail }: FileState): boolean {
  if (offset === 0) return true
  if (stats.size < BigInt(offset) || String(stats.dev) !== device || String(stats.ino) !== inode) return false
  return tailOf(file, offset) === tail
}

function tailOf(file: number, offset: number): string {
  const bytes = Buffer.alloc(Math.min(TAIL_BYTES, offset))
  const got = readSync(file, bytes, 0, bytes.length, offset - bytes.length)
  return bytes.toString('base64', 0, got)
}

function headOf(file: number, offset: number): string {
  const bytes = Buffer.alloc(HEAD_BYTES)
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, offset))
}
