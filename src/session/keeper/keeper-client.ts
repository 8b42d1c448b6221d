/** The daemon's end of the keeper: starts it where it does not run, and connects to processes that it holds. */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLineSplitter } from '../../lib/line-splitter.js'
import { asCount, asRecord, asText } from '../../lib/read-json.js'
import {
  KEEPER_VERSION,
  type KeeperRequest,
  type KeptStart,
  SECRET_LENGTH,
  SECRET_NAME,
  SOCKET_NAME,
} from './keeper-protocol.js'

/** The shorter of the limits of Linux (107) and macOS (103). */
const MAX_SOCKET_PATH = 103
const START_MS = 5_000
const POLL_MS = 20
const PROGRAM = fileURLToPath(new URL('./keeper.js', import.meta.url))

export interface KeeperOptions {
  runFolder: string
  /** How long processes are kept without a daemon. */
  keepMs: number
  /** The file of the keeper. */
  program?: string
}

/** Why processes cannot be kept here; null if they can. */
export function keeperObstacle(runFolder: string, program = PROGRAM): string | null {
  if (process.platform === 'win32') return 'this system has no unix sockets'
  if (Buffer.byteLength(join(runFolder, SOCKET_NAME)) > MAX_SOCKET_PATH)
    return `the path of the home is too long for a socket (${MAX_SOCKET_PATH} bytes at most)`
  return existsSync(program) ? null : 'its program is missing from this installation'
}

export class Keeper {
  readonly #options: KeeperOptions
  readonly #secret: string
  #presence: Socket | null = null
  #starting: Promise<boolean> | null = null
  #isClosed = false

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#secret = readSecret(options.runFolder)
  }

  /** Whether it runs; it is started if need be. */
  async ready(): Promise<boolean> {
    if (this.#isClosed) return false
    if (this.#presence) return true
    this.#starting ??= this.#connect().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  async #connect(): Promise<boolean> {
    if (await this.#greet()) return true
    const { runFolder, keepMs, program = PROGRAM } = this.#options
    const child = spawn(process.execPath, [...SMALL_HEAP, program, runFolder, String(keepMs)], {
      // Nothing of this process's environment: no credentials, no mark.
      env: {},
      cwd: '/',
      detached: true,
      stdio: 'ignore',
    })
    child.on('error', () => {})
    child.unref()
    for (let waited = 0; waited < START_MS; waited += POLL_MS) {
      await wait(POLL_MS)
      if (await this.#greet()) return true
      if (child.exitCode !== null) return false
    }
    return false
  }

  /** While this connection is open, the keeper stays. */
  async #greet(): Promise<boolean> {
    const connection = this.#open({ secret: this.#secret, op: 'hello' })
    const reply = await inTime(connection.reply)
    if (reply?.['version'] !== KEEPER_VERSION || this.#isClosed) {
      connection.close()
      return false
    }
    this.#presence = connection.socket
    // An embedding program must not be kept alive by it.
    connection.socket.unref()
    connection.socket.on('close', () => {
      this.#presence = null
    })
    return true
  }

  start(request: KeptStart): KeptConnection {
    return this.#open({ secret: this.#secret, op: 'start', ...request })
  }

  /** Null if it holds no such process. */
  async attach(folder: string): Promise<KeptConnection | null> {
    const connection = this.#open({ secret: this.#secret, op: 'attach', folder })
    const reply = await inTime(connection.reply)
    if (asCount(reply?.['pid']) !== null) return connection
    connection.close()
    return null
  }

  #open(request: KeeperRequest): KeptConnection {
    return new KeptConnection(join(this.#options.runFolder, SOCKET_NAME), request)
  }

  /** The processes stay. */
  close(): void {
    this.#isClosed = true
    this.#presence?.destroy()
  }
}

/** Null for a keeper that is stopped, for example: it does not keep a start from going on. */
function inTime<Reply>(reply: Promise<Reply | null>): Promise<Reply | null> {
  return Promise.race([reply, wait(START_MS, null, { ref: false })])
}

/** It holds little: a small young generation keeps its memory small. */
const SMALL_HEAP = ['--max-semi-space-size=1', '--max-old-space-size=64']

/** No process of a session has it: neither in its environment nor in its arguments, and agents may not read the file. */
function readSecret(runFolder: string): string {
  mkdirSync(runFolder, { recursive: true, mode: 0o700 })
  const file = join(runFolder, SECRET_NAME)
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (known.length >= SECRET_LENGTH) return known
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(`${file}.new`, secret, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return secret
}

/** A connection for one process. */
export class KeptConnection {
  readonly socket: Socket
  /** The answer to the request; null if the connection ended before it. */
  readonly reply: Promise<Record<string, unknown> | null>
  /** Settles when the connection ends: with how the process has exited, or with null if that was not said. */
  readonly ended: Promise<string | null>

  constructor(path: string, request: KeeperRequest) {
    let settleReply = (_reply: Record<string, unknown> | null) => {}
    let settleEnd = (_exit: string | null) => {}
    this.reply = new Promise((resolve) => {
      settleReply = resolve
    })
    this.ended = new Promise((resolve) => {
      settleEnd = resolve
    })
    this.socket = connect(path)
    this.socket.setNoDelay(true)
    let hasReply = false
    const read = createLineSplitter((line) => {
      const said = asRecord(parse(line))
      if (hasReply) return settleEnd(asText(said['exit']))
      hasReply = true
      settleReply(said)
    })
    this.socket.on('data', read)
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      settleReply(null)
      settleEnd(null)
    })
    this.socket.write(`${JSON.stringify(request)}\n`)
  }

  /** Gives the process this part of its input file. */
  give(from: number, to: number): void {
    this.socket.write(`[${from},${to}]\n`)
  }

  endInput(): void {
    this.socket.write('"end"\n')
  }

  close(): void {
    this.socket.destroy()
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
