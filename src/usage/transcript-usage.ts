/**
 * Token usage from all transcripts of Claude Code on this machine, whether Signalbox saw those sessions or not. A file is
 * read once, and later only where it has grown; its usage stays counted when the CLI has deleted it.
 */

import { closeSync, readSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { openRegularFileSync } from '../lib/file/regular-file.js'
import type { UsageSum } from '../protocol/usage/usage.js'
import type { TranscriptRecord } from '../store/port.js'
import { costOf } from './price.js'
import { folderIn, scanTranscript, type UsedMessage } from './scan-transcript.js'
import { listTranscripts, type TranscriptPlace } from './transcript-files.js'

const HOUR_MS = 3_600_000
const CHUNK = 4 << 20
const MAX_BUSY_MS = 10
/** A line that is longer is passed over. */
const MAX_LINE = 64 << 20

/** `sessionId` is Claude's. */
export type TranscriptSum = Omit<UsageSum, 'source'>

export interface TranscriptUsage {
  /** Usage since then, by hour, session and model. */
  sums(since?: string): Promise<TranscriptSum[]>
}

export interface TranscriptUsageDeps {
  /** The folder with a folder for each project. */
  folder: string
  store: {
    transcripts(): Promise<TranscriptRecord[]>
    saveTranscripts(records: readonly TranscriptRecord[]): Promise<void>
  }
}

export function createTranscriptUsage(deps: TranscriptUsageDeps): TranscriptUsage {
  return new StoredTranscriptUsage(deps)
}

interface CountedFile {
  record: TranscriptRecord
  /** Made once: they are asked for far more often than they change. */
  sums: TranscriptSum[]
}

function countedFile(record: TranscriptRecord): CountedFile {
  const { sessionId, cwd } = record
  return { record, sums: record.sums.map((sum) => ({ ...sum, sessionId, cwd })) }
}

class StoredTranscriptUsage implements TranscriptUsage {
  readonly #deps: TranscriptUsageDeps
  #files: Map<string, CountedFile> | null = null
  /** Marks of all messages that were counted: copies in other files are not counted again. */
  readonly #counted = new Set<number>()
  #refreshing: Promise<void> | null = null

  constructor(deps: TranscriptUsageDeps) {
    this.#deps = deps
  }

  async sums(since?: string): Promise<TranscriptSum[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    await this.#refreshing
    const from = since === undefined ? 0 : Math.floor(Date.parse(since) / HOUR_MS)
    const sums: TranscriptSum[] = []
    for (const file of this.#files?.values() ?? []) {
      for (const sum of file.sums) if (sum.hour >= from) sums.push(sum)
    }
    return sums
  }

  async #refresh(): Promise<void> {
    const files = (this.#files ??= await this.#load())
    let since = performance.now()
    for (const places of listTranscripts(this.#deps.folder)) {
      const changed: TranscriptRecord[] = []
      for (const place of places) {
        const record = this.#readMore(place, files.get(place.path)?.record)
        if (record) changed.push(record)
        // Others want to be served as well, however much there is to read.
        if (performance.now() - since < MAX_BUSY_MS) continue
        await turn()
        since = performance.now()
      }
      for (const record of changed) files.set(record.path, countedFile(record))
      if (changed.length > 0) await this.#deps.store.saveTranscripts(changed)
    }
  }

  async #load(): Promise<Map<string, CountedFile>> {
    const stored = await this.#deps.store.transcripts()
    for (const { marks } of stored) for (const mark of marks) this.#counted.add(mark)
    return new Map(stored.map((record) => [record.path, countedFile(record)]))
  }

  /** The record of a file as it is now; null where nothing has changed. */
  #readMore(place: TranscriptPlace, known: TranscriptRecord | undefined): TranscriptRecord | null {
    const { path, inode, size } = place
    if (known?.inode === inode && known.size === size) return null
    // Another file under this name, or one that was rewritten, is counted anew.
    const isSame = known?.inode === inode && known.size < size
    if (known && !isSame) for (const mark of known.marks) this.#counted.delete(mark)
    const tally = new Tally(
      isSame ? known : { ...place, offset: 0, sums: [], marks: [], last: null, cwd: '' },
      this.#counted,
    )
    readWholeLines(path, isSame ? known.offset : 0, (bytes, offset) => tally.add(bytes, offset))
    return tally.record(inode, size)
  }
}

type Sum = TranscriptRecord['sums'][number]
type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }

/** Adds up one file. */
class Tally {
  readonly #record: TranscriptRecord
  readonly #counted: Set<number>
  readonly #sums: Map<string, Mutable<Sum>>
  readonly #marks: number[]
  #last: TranscriptRecord['last']
  #offset: number
  #cwd: string

  constructor(record: TranscriptRecord, counted: Set<number>) {
    this.#record = record
    this.#counted = counted
    this.#sums = new Map(record.sums.map((sum) => [keyOf(sum), { ...sum }]))
    this.#marks = [...record.marks]
    this.#last = record.last
    this.#offset = record.offset
    this.#cwd = record.cwd
  }

  add(bytes: Buffer, offset: number): void {
    if (this.#cwd === '') this.#cwd = folderIn(bytes) ?? ''
    scanTranscript(bytes, (message) => this.#count(message))
    this.#offset = offset
  }

  #count(message: UsedMessage): void {
    const mark = markOf(message.id)
    if (this.#last?.mark === mark) {
      // Another block of the same message: the newest line holds the final figures.
      this.#add(this.#last.sum, -1)
    } else {
      if (this.#counted.has(mark)) return
      this.#counted.add(mark)
      this.#marks.push(mark)
    }
    const sum = sumOf(message)
    this.#add(sum, 1)
    this.#last = { mark, sum }
  }

  #add(sum: Sum, sign: 1 | -1): void {
    const key = keyOf(sum)
    const known = this.#sums.get(key)
    if (!known) {
      this.#sums.set(key, { ...sum })
      return
    }
    known.inputTokens += sign * sum.inputTokens
    known.outputTokens += sign * sum.outputTokens
    known.cacheReadInputTokens += sign * sum.cacheReadInputTokens
    known.cacheCreationInputTokens += sign * sum.cacheCreationInputTokens
    known.costUsd = Math.max(0, known.costUsd + sign * sum.costUsd)
  }

  record(inode: string, size: number): TranscriptRecord {
    return {
      path: this.#record.path,
      sessionId: this.#record.sessionId,
      cwd: this.#cwd,
      inode,
      size,
      offset: this.#offset,
      sums: [...this.#sums.values()],
      marks: this.#marks,
      last: this.#last,
    }
  }
}

function keyOf({ hour, model }: { hour: number; model: string }): string {
  return `${hour} ${model}`
}

function sumOf(message: UsedMessage): Sum {
  const { model, hour, day, inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } =
    message
  const cost = costOf(model, message, day)
  return {
    hour,
    model,
    inputTokens,
    outputTokens,
    cacheReadInputTokens,
    cacheCreationInputTokens,
    costUsd: cost ?? 0,
    isPriced: cost !== null,
  }
}

/** 53 bits of the id: small enough to be kept for every message, long enough that two are never the same. */
function markOf(id: string): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index)
    low = Math.imul(low ^ code, 2_654_435_761)
    high = Math.imul(high ^ code, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
}

let buffer = Buffer.allocUnsafe(0)

/** Hands over whole lines, and how far the file is then read. A file that cannot be read has none. */
function readWholeLines(path: string, from: number, take: (bytes: Buffer, offset: number) => void): void {
  let opened: ReturnType<typeof openRegularFileSync>
  try {
    opened = openRegularFileSync(path)
  } catch {
    return
  }
  const { file, size } = opened
  try {
    let offset = from
    for (let wanted = CHUNK; offset < size; ) {
      if (buffer.length < wanted) buffer = Buffer.allocUnsafe(wanted)
      const count = readSync(file, buffer, 0, Math.min(wanted, size - offset), offset)
      const end = buffer.lastIndexOf(10, count - 1) + 1
      if (end > 0 && count > 0) {
        offset += end
        take(buffer.subarray(0, end), offset)
        wanted = CHUNK
      } else if (offset + count >= size) {
        return // The last line is still being written.
      } else if (wanted < MAX_LINE) {
        wanted *= 2
      } else {
        offset += count
        take(buffer.subarray(0, 0), offset)
      }
    }
  } finally {
    closeSync(file)
  }
}
