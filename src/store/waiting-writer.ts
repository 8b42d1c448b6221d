/**
 * Backpressure of the store: writes that wait instead of failing. A write that fails because of the disk or another program's lock is retried with
 * back-off, without blocking the event loop; waiting writes keep their order.
 */

import { withResultCode } from '../lib/sqlite/driver.js'
import { type MachineFault, machineFaultOf } from '../lib/sqlite/machine-fault.js'
import { isStorageProblem, type StorageProblem, storageUnavailable } from '../protocol/storage.js'
import { describeHolder, type LockHolder } from './lock-holder.js'
import type { Storage } from './port.js'
import type { ReadMarkLock } from './read-mark-lock.js'

const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 250
/** Grace period: a lock held for less than this is not reported. */
const GRACE_MS = 500
/** Interval of retries of a failed read. */
const READ_AGAIN_MS = 1_000

export interface WaitingWriterDeps {
  /** A small write that tests whether the fault is over. */
  probe(): void
  /** A write of ordinary size, which tests whether a full disk has room again: a small one may fit all the time. */
  tryRoom?(): void
  /** The cause of an I/O error, as found by a test write to the folder. */
  reasonOf?(): MachineFault | null
  /** The program that has locked the database, where it can be seen. */
  holder?(): LockHolder | null
  readMarks?: ReadMarkLock
  /** Called after each successful write. */
  onWritten?(): void
}

export class WaitingWriter implements Storage {
  readonly #deps: WaitingWriterDeps
  readonly #listeners = new Set<(problem: StorageProblem | null) => void>()
  #fault: StorageProblem | null = null
  /** Monotonic time. */
  #failedAt = 0
  /** Permanent for this process: data read or written since cannot be trusted. */
  #damage: StorageProblem | null = null
  #readFault: StorageProblem | null = null
  #readAgain: NodeJS.Timeout | null = null
  #block: StorageProblem | null = null
  #shown: StorageProblem | null = null
  #waiting: (() => void)[] = []
  #pauseMs = FIRST_PAUSE_MS
  #retry: NodeJS.Timeout | null = null
  #grace: NodeJS.Timeout | null = null
  #isProbing = false
  #hasGivenUp = false
  #givingUp: NodeJS.Timeout | null = null

  constructor(deps: WaitingWriterDeps) {
    this.#deps = deps
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

  /**
   * Runs a write now. Throws a storage problem if the machine refuses it; during a known fault it throws without
   * trying.
   */
  attempt<Result>(work: () => Result): Result {
    if (this.#block) throw storageUnavailable(this.#block)
    if (this.#fault && !this.#isProbing && !this.#hasGivenUp) throw storageUnavailable(this.#fault)
    if (this.#deps.readMarks?.isHeld) throw storageUnavailable(this.#failed('locked'))
    let result: Result
    try {
      result = work()
    } catch (error) {
      this.#deps.readMarks?.note(error)
      const kind = machineFaultOf(error)
      if (kind === null) throw error
      throw storageUnavailable(this.#failed(kind, error), error)
    }
    if (this.#fault && this.#hasRoom()) this.#recovered()
    this.#deps.onWritten?.()
    return result
  }

  /** One write that fits does not end the fault of a full disk: the next one may be larger, and readiness would flap. */
  #hasRoom(): boolean {
    if (this.#fault?.kind !== 'full') return true
    try {
      this.#deps.tryRoom?.()
      return true
    } catch {
      return false
    }
  }

  /** Runs a write as soon as possible, with a timeout of `waitMs`. */
  async run<Result>(work: () => Result, waitMs = Number.POSITIVE_INFINITY): Promise<Result> {
    const until = performance.now() + waitMs
    for (;;) {
      try {
        return this.attempt(work)
      } catch (error) {
        const next = isStorageProblem(error) && performance.now() < until ? this.nextTry() : null
        if (next === null) throw error
        await next
      }
    }
  }

  /** Runs a read. Throws a storage problem if the machine refuses it. */
  read<Result>(work: () => Result): Result {
    this.expectReadable()
    try {
      return work()
    } catch (error) {
      throw this.readFailed(withResultCode(error), () => void work())
    }
  }

  /** Call before a read. Throws if it would block the event loop. */
  expectReadable(): void {
    if (this.#deps.readMarks?.isHeld) throw storageUnavailable(this.#fault ?? this.#failed('locked'))
  }

  /** The error to throw for a failed read. `again` repeats the read, to test whether the fault is over. */
  readFailed(error: unknown, again: () => void): unknown {
    const kind = machineFaultOf(error)
    if (kind === null) return error
    if (this.#deps.readMarks?.note(error)) return storageUnavailable(this.#failed(kind, error), error)
    const problem = { kind, message: textOf(READ_TEXTS[kind] ?? TEXTS[kind], error), since: now() }
    if (kind === 'damaged') this.#damage ??= problem
    // A lock of another program is short, or is also reported by writes.
    else if (kind !== 'locked') {
      this.#readFault ??= problem
      this.#readAgain ??= setTimeout(() => this.#tryRead(again), READ_AGAIN_MS).unref()
    }
    this.#show()
    return storageUnavailable(this.#damage ?? problem, error)
  }

  #tryRead(again: () => void): void {
    this.#readAgain = null
    try {
      again()
      this.#readFault = null
      this.#show()
    } catch (error) {
      this.readFailed(error, again)
    }
  }

  block(problem: StorageProblem): void {
    if (this.isCondemned) return
    this.#block = problem
    this.#schedule()
    this.#show()
  }

  /** The files were changed by another program: this process writes nothing more. */
  get isCondemned(): boolean {
    return this.#block?.kind === 'damaged'
  }

  unblock(): void {
    if (!this.#block || this.isCondemned) return
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
    const timers = [this.#retry, this.#grace, this.#givingUp, this.#readAgain]
    for (const timer of timers) if (timer) clearTimeout(timer)
    this.#wake()
  }

  #failed(found: MachineFault, error?: unknown): StorageProblem {
    this.#isProbing = false
    this.#pauseMs = this.#fault ? Math.min(this.#pauseMs * 2, MAX_PAUSE_MS) : FIRST_PAUSE_MS
    if (!this.#fault) this.#failedAt = performance.now()
    // SQLite reports an exceeded quota, and a file system that became read-only, as an I/O error.
    const kind = (found === 'input_output' && this.#deps.reasonOf?.()) || found
    const text = kind === 'locked' ? lockedBy(this.#deps.holder?.() ?? null) : TEXTS[kind]
    this.#fault = { kind, message: textOf(text, error), since: this.#fault?.since ?? now() }
    this.#schedule()
    if (kind === 'damaged') {
      this.#damage ??= this.#fault
      this.#show()
    }
    this.#grace ??= setTimeout(() => this.#show(), GRACE_MS).unref()
    // Unlike a lock, it does not end within moments: clients that are refused must find it in the readiness check.
    if (kind === 'full') this.#show()
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

  /** The timer keeps the process alive: waiting data is not stored yet. */
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
      // Wakes waiting writes so that they can check their timeouts.
      this.#schedule()
      this.#wake()
      return
    }
    if (!this.#fault) return
    this.#isProbing = true
    if (this.#waiting.length > 0) {
      this.#wake()
      // If none of them writes, the probe must clear the fault.
      setImmediate(() => this.#isProbing && this.#tryProbe())
    } else {
      this.#tryProbe()
    }
  }

  #tryProbe(): void {
    try {
      this.attempt(() => this.#deps.probe())
    } catch {
      // It is tried again.
    }
    if (!this.#fault) return
    this.#isProbing = false
    this.#schedule()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  #show(): void {
    const isLasting =
      this.#fault !== null &&
      (this.#fault.kind === 'full' || performance.now() - this.#failedAt >= GRACE_MS - 5)
    const shown = this.#block ?? this.#damage ?? (isLasting ? this.#fault : this.#readFault)
    if (shown === this.#shown) return
    const isNews = shown?.kind !== this.#shown?.kind
    this.#shown = shown
    if (isNews) for (const listener of this.#listeners) listener(shown)
  }
}

function now(): string {
  return new Date().toISOString()
}

const TEXTS: Readonly<Record<MachineFault, string>> = {
  full: 'The disk is full, or its quota is used up: nothing can be stored. Free some space; Signalbox then resumes without a restart.',
  locked: lockedBy(null),
  read_only: 'The database cannot be written: the file system or the file is read-only.',
  input_output: 'The disk reports an error, so nothing can be stored. Check the disk.',
  unreachable: 'The files of the database cannot be opened. Check the home folder and its permissions.',
  memory: 'There is not enough memory to write to the database.',
  damaged:
    'The database is damaged: part of it cannot be read or written. Stop Signalbox, keep a copy of its home, and run "signalbox doctor".',
}

const READ_TEXTS: Readonly<Partial<Record<MachineFault, string>>> = {
  input_output: 'The disk reports an error when the database is read. Check the disk.',
  memory: 'There is not enough memory to read the database.',
}

function lockedBy(holder: LockHolder | null): string {
  return `The database is locked by ${describeHolder(holder)}. Signalbox resumes when that program releases it.`
}

function textOf(text: string, error: unknown): string {
  return error instanceof Error ? `${text} (${error.message})` : text
}
