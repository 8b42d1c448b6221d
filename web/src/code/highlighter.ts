/**
 * Colours code in a worker, one text at a time, the newest first: it is the one on the screen. A text that takes too long is
 * given up and stays plain, and the worker is replaced.
 */

import type { ColoredLine } from './colored-line.js'
import type { Language } from './language.js'

export interface ColorTask {
  id: number
  code: string
  language: Language
}

export interface ColorReply {
  id: number
  /** Null: it could not be read. */
  lines: readonly ColoredLine[] | null
}

export type Colored = readonly ColoredLine[] | null

export interface ColorWorker {
  send(task: ColorTask): void
  close(): void
}

export type StartWorker = (onReply: (reply: ColorReply) => void, onFailure: () => void) => ColorWorker

const MAX_CHARACTERS = 100_000
const MAX_KEPT_CHARACTERS = 2_000_000
const TIMEOUT_MS = 2_000

interface Job {
  task: ColorTask
  key: string
  waiting: ((lines: Colored) => void)[]
}

export class Highlighter {
  readonly #start: StartWorker
  readonly #timeoutMs: number
  /** Results, the least recently used first. */
  readonly #known = new Map<string, Colored>()
  #keptCharacters = 0
  #worker: ColorWorker | null = null
  #running: Job | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #queue = new Map<string, Job>()
  #nextId = 1

  constructor(start: StartWorker, timeoutMs = TIMEOUT_MS) {
    this.#start = start
    this.#timeoutMs = timeoutMs
  }

  /** The lines, if they are known. Undefined: not yet. */
  find(code: string, language: Language): Colored | undefined {
    const key = keyOf(code, language)
    const lines = this.#known.get(key)
    if (lines === undefined) return undefined
    this.#known.delete(key)
    this.#known.set(key, lines)
    return lines
  }

  color(code: string, language: Language): Promise<Colored> {
    const known = this.find(code, language)
    if (known !== undefined || code.length > MAX_CHARACTERS) return Promise.resolve(known ?? null)
    const key = keyOf(code, language)
    return new Promise((resolve) => {
      const same = this.#running?.key === key ? this.#running : this.#queue.get(key)
      if (same) return void same.waiting.push(resolve)
      this.#queue.set(key, { task: { id: this.#nextId++, code, language }, key, waiting: [resolve] })
      this.#runNext()
    })
  }

  #runNext(): void {
    if (this.#running !== null) return
    const job = [...this.#queue.values()].at(-1)
    if (!job) return
    this.#queue.delete(job.key)
    this.#running = job
    this.#worker ??= this.#start(
      ({ id, lines }) => id === this.#running?.task.id && this.#finish(lines),
      () => this.#giveUp(),
    )
    this.#timer = setTimeout(() => this.#giveUp(), this.#timeoutMs)
    this.#worker.send(job.task)
  }

  #giveUp(): void {
    this.#worker?.close()
    this.#worker = null
    this.#finish(null)
  }

  #finish(lines: Colored): void {
    clearTimeout(this.#timer)
    const job = this.#running
    this.#running = null
    if (!job) return
    this.#keep(job.key, lines)
    for (const resolve of job.waiting) resolve(lines)
    this.#runNext()
  }

  #keep(key: string, lines: Colored): void {
    this.#known.set(key, lines)
    this.#keptCharacters += key.length
    for (const oldest of this.#known.keys()) {
      if (this.#keptCharacters <= MAX_KEPT_CHARACTERS) return
      this.#known.delete(oldest)
      this.#keptCharacters -= oldest.length
    }
  }
}

function keyOf(code: string, language: Language): string {
  return `${language}\n${code}`
}
