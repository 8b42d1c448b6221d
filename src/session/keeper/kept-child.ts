/** One process that the keeper holds: its input comes from a file, its output goes to one. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTokenOf } from '../../lib/start-token.js'
import {
  ERROR_FILE,
  EXIT_FILE,
  INPUT_FILE,
  type InputOrder,
  type KeptStart,
  OUTPUT_FILE,
  PID_FILE,
} from './keeper-protocol.js'

/** Input is given in pieces of this size, so that a large message is never held as a whole. */
const PIECE_BYTES = 64 * 1024

export class KeptChild {
  readonly mark: string
  /** Settles with the exit code or signal, after it is in the file. */
  readonly exited: Promise<string>
  readonly #child: ChildProcess
  readonly #input: string
  readonly #orders: InputOrder[] = []
  #isPumping = false
  #sent = 0

  constructor({ folder, command, args, cwd, env, mark }: KeptStart) {
    this.mark = mark
    this.#input = join(folder, INPUT_FILE)
    const [out, err] = [OUTPUT_FILE, ERROR_FILE].map((name) => openSync(join(folder, name), 'a', 0o600))
    try {
      this.#child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', out, err] })
    } finally {
      for (const file of [out, err]) if (file !== undefined) closeSync(file)
    }
    this.#child.stdin?.on('error', () => {})
    this.exited = once(this.#child, 'exit').then(
      ([code, signal]) => (signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`),
      (error: unknown) => (error instanceof Error ? error.message : 'it could not be started'),
    )
    this.exited = this.exited.then((how) => {
      replaceFile(join(folder, EXIT_FILE), how)
      return how
    })
    const { pid } = this.#child
    if (pid !== undefined) replaceFile(join(folder, PID_FILE), `${pid} ${startTokenOf(pid) ?? ''}`)
  }

  /** 0 if it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Up to here its input has been given to it, or is being given. */
  get sent(): number {
    return this.#sent
  }

  /** Idempotent: a part that was given before, by this client or another, is passed over. */
  give(order: InputOrder): void {
    if (order !== 'end') {
      if (order[0] < this.#sent) return
      this.#sent = order[1]
    }
    this.#orders.push(order)
    if (!this.#isPumping) void this.#pump()
  }

  async #pump(): Promise<void> {
    this.#isPumping = true
    const { stdin } = this.#child
    for (let order = this.#orders.shift(); order !== undefined; order = this.#orders.shift()) {
      if (!stdin) break
      if (order === 'end') stdin.end()
      // A file that is gone was deleted with its process.
      else await this.#copy(order, stdin).catch(() => {})
    }
    this.#isPumping = false
  }

  async #copy([from, to]: readonly [number, number], stdin: NodeJS.WritableStream): Promise<void> {
    const file = openSync(this.#input, 'r')
    try {
      for (let at = from; at < to; ) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - at))
        const count = readSync(file, piece, 0, piece.length, at)
        if (count === 0 || !stdin.writable) return
        at += count
        if (!stdin.write(piece.subarray(0, count)))
          await Promise.race([once(stdin, 'drain').catch(() => {}), this.exited])
      }
    } finally {
      closeSync(file)
    }
  }
}

/** By rename: a reader finds the old content or the new one, never a part. */
function replaceFile(path: string, content: string): void {
  try {
    writeFileSync(`${path}.new`, content, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch {
    // The folder is gone: its process is not wanted any more.
  }
}
