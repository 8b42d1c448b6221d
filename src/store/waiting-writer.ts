/**
 * Writes that wait for the machine instead of failing. A write that the disk or another program's lock refuses is tried
 * again with a growing pause, without ever blocking the event loop; writes that wait keep their order.
 */

import { type MachineFault, machineFaultOf } from '../lib/machine-fault.js'
import { HubError } from '../protocol/error.js'
import { type StorageProblem, storageUnavailable } from '../protocol/storage.js'
import type { Storage } from './port.js'

const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 250
/** A lock that is held for less than this is no problem that anyone should hear of. */
const GRACE_MS = 500

export class WaitingWriter implements Storage {
  /** Writes something small, to find out whether the fault is over. */
  readonly #probe: () => void
  readonly #listeners = new Set<(problem: StorageProblem | null) => void>()
  #fault: StorageProblem | null = null
  #block: StorageProblem | null = null
  #shown: StorageProblem | null = null
  #waiting: (() => void)[] = []
  #pauseMs = FIRST_PAUSE_MS
  #retry: NodeJS.Timeout | null = null
  #grace: NodeJS.Timeout | null = null
  #isProbing = false
  #hasGivenUp = false
  #givingUp: NodeJS.Timeout | null = null

  constructor(probe: () => void) {
    this.#probe = probe
  }

  get problem(): StorageProblem | null {
    return this.#shown
  }

  onChange(listener: (problem: StorageProblem | null) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  nextTry(): Promise<void> | null {
    if ((this.#fault ?? this.#block) === null || this.#hasGivenUp) return null
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Runs a write now. Throws `storage_unavailable` if the machine refuses it, and without trying while it does. */
  attempt<Result>(work: () => Result): Result {
    if (this.#block) throw storageUnavailable(this.#block)
    if (this.#fault && !this.#isProbing && !this.#hasGivenUp) throw storageUnavailable(this.#fault)
    let result: Result
    try {
      result = work()
    } catch (error) {
      const kind = machineFaultOf(error)
      if (kind === null) throw error
      throw storageUnavailable(this.#failed(kind, error), error)
    }
    if (this.#fault) this.#recovered()
    return result
  }

  /** Runs a write as soon as it can be. `waitMs`: not longer than this. */
  async run<Result>(work: () => Result, waitMs = Number.POSITIVE_INFINITY): Promise<Result> {
    const until = performance.now() + waitMs
    for (;;) {
      try {
        return this.attempt(work)
      } catch (error) {
        const next = isStorageUnavailable(error) && performance.now() < until ? this.nextTry() : null
        if (next === null) throw error
        await next
      }
    }
  }

  block(problem: StorageProblem): void {
    this.#block = problem
    this.#schedule()
    this.#show()
  }

  unblock(): void {
    if (!this.#block) return
    this.#block = null
    this.#show()
    this.#wake()
  }

  giveUpAfter(ms: number): void {
    this.#givingUp ??= setTimeout(() => {
      this.#hasGivenUp = true
      this.#wake()
    }, ms).unref()
  }

  close(): void {
    this.#hasGivenUp = true
    for (const timer of [this.#retry, this.#grace, this.#givingUp]) if (timer) clearTimeout(timer)
    this.#wake()
  }

  #failed(kind: MachineFault, error: unknown): StorageProblem {
    this.#isProbing = false
    this.#pauseMs = this.#fault ? Math.min(this.#pauseMs * 2, MAX_PAUSE_MS) : FIRST_PAUSE_MS
    const { since = new Date().toISOString() } = this.#fault ?? {}
    this.#fault = { kind, message: textOf(kind, error), since }
    this.#schedule()
    this.#grace ??= setTimeout(() => this.#show(), GRACE_MS).unref()
    return this.#fault
  }

  #recovered(): void {
    this.#fault = null
    this.#isProbing = false
    if (this.#grace) clearTimeout(this.#grace)
    this.#grace = null
    this.#show()
    this.#wake()
  }

  /** The timer holds the process: what waits is not stored yet. */
  #schedule(): void {
    this.#retry ??= setTimeout(
      () => {
        this.#retry = null
        this.#tick()
      },
      this.#block ? MAX_PAUSE_MS : this.#pauseMs,
    )
  }

  #tick(): void {
    if (this.#block) {
      // Those who wait for a limited time look at their clocks.
      this.#schedule()
      this.#wake()
      return
    }
    if (!this.#fault) return
    this.#isProbing = true
    if (this.#waiting.length > 0) {
      this.#wake()
      // Should none of them write after all, the fault must not stay.
      setImmediate(() => this.#isProbing && this.#tryProbe())
    } else {
      this.#tryProbe()
    }
  }

  #tryProbe(): void {
    try {
      this.attempt(this.#probe)
    } catch {
      this.#isProbing = false
      if (this.#fault) this.#schedule()
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  #show(): void {
    const isLasting = this.#fault !== null && Date.now() - Date.parse(this.#fault.since) >= GRACE_MS - 5
    const shown = this.#block ?? (isLasting ? this.#fault : null)
    if (shown === this.#shown) return
    const isNews = shown?.kind !== this.#shown?.kind
    this.#shown = shown
    if (isNews) for (const listener of this.#listeners) listener(shown)
  }
}

export function isStorageUnavailable(error: unknown): error is HubError {
  return error instanceof HubError && error.code === 'storage_unavailable'
}

const TEXTS: Readonly<Record<MachineFault, string>> = {
  full: 'The disk is full: nothing can be stored. Free some space; Signalbox then resumes without a restart.',
  locked: 'Another program holds a lock on the database. Signalbox resumes when that program releases it.',
  read_only: 'The database cannot be written: the file system or the file is read-only.',
  input_output: 'The disk reports an error, so nothing can be stored. Check the disk.',
  unreachable: 'The files of the database cannot be opened. Check the home folder and its permissions.',
  memory: 'There is not enough memory to write to the database.',
}

function textOf(kind: MachineFault, error: unknown): string {
  const detail = error instanceof Error ? ` (${error.message})` : ''
  return `${TEXTS[kind]}${detail}`
}
