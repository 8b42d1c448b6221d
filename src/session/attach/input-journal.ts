/** The input of a CLI process, written before it is sent. A crash may leave half a line at its end, which no reader counts. */

import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'

export interface JournaledLine {
  readonly from: number
  readonly to: number
  readonly value: Loose
}

export class InputJournal {
  readonly #file: number
  #size: number
  /** A full disk has taken a part of the newest line. */
  #isCutOff = false

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600)
    this.#size = fstatSync(this.#file).size
  }

  /** Ends a line that the crash of the previous writer has left unfinished. */
  endUnfinished(): void {
    if (this.#size > 0) this.append(Buffer.from('\n'))
  }

  /** `line` with its line break. Returns where it is. */
  append(line: Buffer): { from: number; to: number } {
    if (this.#isCutOff) this.#write(Buffer.from('\n'))
    const from = this.#size
    this.#write(line)
    return { from, to: this.#size }
  }

  #write(line: Buffer): void {
    this.#isCutOff = true
    for (let at = 0; at < line.length; ) {
      const count = writeSync(this.#file, line, at)
      at += count
      this.#size += count
    }
    this.#isCutOff = false
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Whole lines only. */
export function readInput(path: string): JournaledLine[] {
  const data = readOrEmpty(path)
  const lines: JournaledLine[] = []
  let from = 0
  for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, from)) {
    const value = parse(data.subarray(from, end))
    if (value !== null) lines.push({ from, to: end + 1, value })
    from = end + 1
  }
  return lines
}

/** The uuids of the messages in it. */
export function sentMessages(lines: readonly JournaledLine[]): string[] {
  return lines.flatMap(({ value }) => (value['type'] === 'user' ? (asText(value['uuid']) ?? []) : []))
}

/** Ids of the requests of the CLI that were answered. */
export function answeredRequests(lines: readonly JournaledLine[]): Set<string> {
  return new Set(
    lines.flatMap(({ value }) =>
      value['type'] === 'control_response' ? (asText(asRecord(value['response'])['request_id']) ?? []) : [],
    ),
  )
}

function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

function parse(line: Buffer): Loose | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? asRecord(value) : null
  } catch {
    return null
  }
}
