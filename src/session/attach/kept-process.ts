/**
 * A CLI process that the keeper holds. Its input is journaled, then sent; its output is read from its file. It is left running
 * when the daemon ends, and another run attaches to it.
 */

import { EventEmitter } from 'node:events'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Writable } from 'node:stream'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'
import { CliProcess, type SpawnedCli, type SpawnRequest } from '../claude/process.js'
import type { Keeper, KeptConnection } from '../keeper/keeper-client.js'
import { ERROR_FILE, INPUT_FILE, OUTPUT_FILE } from '../keeper/keeper-protocol.js'
import { InputJournal } from './input-journal.js'
import type { LaunchFolder } from './launch-folder.js'
import { withLineEnd } from './line-end.js'
import { isInitialize, type OpenRequest, type OutputScan } from './output-scan.js'
import { OutputTail } from './output-tail.js'

const STDERR_BYTES = 4_096
const STDERR_LINES = 20

/** How a new run attaches to a process. */
export interface Reattachment {
  connection: KeptConnection
  /** Its output is read from here on. */
  offset: number
  scan: OutputScan
  /** Its callbacks have the same names: `initialize` is answered from the file, as if nothing had happened. */
  isQuiet: boolean
}

export interface KeptProcessOptions {
  folder: LaunchFolder
  mark: string
  onSpawn(pid: number): void
}

export class KeptProcess extends CliProcess {
  readonly spawned: SpawnedCli
  readonly exited: Promise<string>
  readonly #folder: LaunchFolder
  readonly #connection: KeptConnection
  readonly #journal: InputJournal
  readonly #tail: OutputTail
  readonly #events = new EventEmitter()
  readonly #isPassed: (end: number) => boolean
  #reattachment: Reattachment | null
  #unfinished: Buffer = Buffer.alloc(0)
  #pid = 0
  #exit: string | null = null
  #lastWords: string | null = null
  #isDetached = false

  /** `origin`: what to start, or how to attach to it. */
  constructor(options: KeptProcessOptions, origin: { keeper: Keeper; request: SpawnRequest } | Reattachment) {
    super(options.mark)
    const { folder } = options
    this.#folder = folder
    this.#journal = new InputJournal(folder.file(INPUT_FILE))
    this.#reattachment = 'request' in origin ? null : origin
    this.#isPassed = 'request' in origin ? () => true : attachFilter(origin.scan, origin.isQuiet)
    this.#tail = new OutputTail({
      path: folder.file(OUTPUT_FILE),
      from: 'request' in origin ? 0 : origin.offset,
      isHeld: this.#reattachment !== null,
      translate: (line, end) => this.#translate(line, end),
    })
    this.#connection = 'request' in origin ? start(origin, options) : origin.connection
    const stdin = new Writable({
      write: (chunk: Buffer, _, done) => {
        try {
          this.#write(chunk)
        } catch {
          // A full disk, for example. Without this input it would wait for ever: it is started again when there is room.
          this.killGroup()
        }
        done()
      },
      final: (done) => {
        if (!this.#isDetached) this.#connection.endInput()
        done()
      },
    })
    const hasExited = () => this.#exit
    this.spawned = Object.assign(this.#events, {
      stdin,
      stdout: this.#tail.stream,
      killed: false,
      get exitCode() {
        return hasExited() === null ? null : exitCodeOf(hasExited() ?? '')
      },
      // The SDK kills its process when the program exits: this one may stay. Ending it is `end` of this class.
      kill: () => true,
    })
    this.exited = this.#run(options)
    if (this.#reattachment) this.#journal.endUnfinished()
  }

  async #run({ onSpawn }: KeptProcessOptions): Promise<string> {
    const reply = await this.#connection.reply
    this.#pid = typeof reply?.['pid'] === 'number' ? reply['pid'] : 0
    if (this.#pid > 0) onSpawn(this.#pid)
    const said = await this.#connection.ended
    if (this.#isDetached) return new Promise(() => {})
    // Without its keeper it has lost its input, and cannot be steered any more.
    if (said === null) this.killGroup()
    const exit = said ?? (asText(reply?.['error']) || 'the process that held it has ended')
    // Its folder is deleted next.
    this.#lastWords = this.#readLastWords()
    this.#exit = exit
    this.#tail.end()
    const signal = /^signal (\S+)/.exec(exit)?.[1] ?? null
    setImmediate(() => this.#events.emit('exit', signal === null ? exitCodeOf(exit) : null, signal))
    return exit
  }

  get pid(): number {
    return this.#pid
  }

  get hasExited(): boolean {
    return this.#exit !== null
  }

  get lastWords(): string {
    return this.#lastWords ?? this.#readLastWords()
  }

  #readLastWords(): string {
    const lines = endOf(this.#folder.file(ERROR_FILE)).split('\n')
    return lines
      .filter((line) => line.trim() !== '')
      .slice(-STDERR_LINES)
      .join('\n')
  }

  /** Leaves it running. Nothing is read from it or sent to it any more. */
  override detach(): void {
    if (this.#isDetached) return
    this.#isDetached = true
    this.#tail.close()
    this.#connection.close()
  }

  #write(chunk: Buffer): void {
    if (this.#isDetached || this.#exit !== null) return
    const data = this.#unfinished.length > 0 ? Buffer.concat([this.#unfinished, chunk]) : chunk
    const end = data.lastIndexOf(10) + 1
    this.#unfinished = data.subarray(end)
    if (end > 0) this.#send(data.subarray(0, end))
  }

  #send(lines: Buffer): void {
    const reattachment = this.#reattachment
    if (reattachment) {
      const said = asRecord(parse(lines.toString('utf8')))
      if (isInitialize(said)) {
        this.#reattachment = null
        return this.#begin(reattachment, said, lines)
      }
    }
    const { from, to } = this.#journal.append(lines)
    this.#connection.give(from, to)
  }

  /** The SDK is there: it gets what is open, and what the process says from now on. */
  #begin({ scan, offset, isQuiet }: Reattachment, initialize: Loose, line: Buffer): void {
    const { stream } = this.#tail
    if (isQuiet && scan.initialized) stream.push(`${answered(scan.initialized, initialize)}\n`)
    else {
      const { from, to } = this.#journal.append(line)
      this.#connection.give(from, to)
    }
    for (const request of scan.open)
      if (request.end <= offset && isDelivered(request, isQuiet)) stream.push(`${request.line}\n`)
    this.#tail.release()
  }

  #translate(line: Buffer, end: number): string | null {
    if (!line.includes(CONTROL)) return withLineEnd(line, end)
    const text = line.toString('utf8')
    const type = asText(asRecord(parse(text))['type'])
    if (!type?.startsWith('control_')) return withLineEnd(line, end)
    return this.#isPassed(end) ? text : null
  }
}

const CONTROL = '"control_'

/** Requests that the previous run has answered are not passed on again. */
function attachFilter(scan: OutputScan, isQuiet: boolean): (end: number) => boolean {
  const open = new Map(scan.open.map((request) => [request.end, request]))
  return (end) => {
    if (end > scan.end) return true
    const request = open.get(end)
    return request !== undefined && isDelivered(request, isQuiet)
  }
}

/**
 * On an official `initialize` the CLI (2.1.325) repeats open questions itself, and refuses calls whose hooks have not answered.
 * Calls of our own tools would hang, so they are delivered.
 */
function isDelivered({ subtype }: OpenRequest, isQuiet: boolean): boolean {
  return isQuiet || (subtype !== 'can_use_tool' && subtype !== 'hook_callback')
}

/** The stored answer, as an answer to this request. Open questions are delivered apart from it. */
function answered(stored: Loose, request: Loose): string {
  const response = asRecord(stored['response'])
  const content = { ...asRecord(response['response']), pending_permission_requests: [] }
  return JSON.stringify({
    ...stored,
    response: { ...response, request_id: request['request_id'], response: content },
  })
}

function start(
  { keeper, request }: { keeper: Keeper; request: SpawnRequest },
  { folder, mark }: KeptProcessOptions,
): KeptConnection {
  const { command, args, cwd, env } = request
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return keeper.start({
    folder: folder.path,
    command,
    args,
    env: Object.fromEntries(given),
    mark,
    ...(cwd !== undefined && { cwd }),
  })
}

function exitCodeOf(exit: string): number {
  return Number(/^exit code (\d+)/.exec(exit)?.[1] ?? 1)
}

function endOf(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const piece = Buffer.alloc(Math.min(size, STDERR_BYTES))
      readSync(file, piece, 0, piece.length, size - piece.length)
      return piece.toString('utf8')
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
