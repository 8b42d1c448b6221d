/**
 * Messages as lines of JSON over two byte streams. Bounds what a peer can make this process keep: the length of a line, and
 * the number of its requests that are open. Backpressure: nothing is read while an answer to garbage cannot be written, and a
 * message counts as written when the peer's pipe has taken it.
 */

import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

export interface LineLimits {
  maxLineBytes: number
  maxOpenRequests: number
}

/** A prompt may carry what a message of Signalbox may: 12 MB. */
const LIMITS: LineLimits = { maxLineBytes: 16 * 1024 * 1024, maxOpenRequests: 100 }

type Id = string | number | null
type Loose = Readonly<Record<string, unknown>>

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const BUSY = -32_000

export function lineStream(input: Readable, output: Writable, limits: LineLimits = LIMITS): Stream {
  /** Requests of the peer without a response, and our own requests. */
  const open = new Set<Id>()
  const asked = new Set<Id>()
  const write = async (message: unknown) => {
    if (output.destroyed) throw new Error('The peer is gone.')
    if (!output.write(`${JSON.stringify(message)}\n`)) await drained(output)
  }
  const refuse = (id: Id, code: number, message: string) =>
    write({ jsonrpc: '2.0', id, error: { code, message } })

  async function* messages(): AsyncGenerator<AnyMessage> {
    for await (const line of linesOf(input, limits.maxLineBytes)) {
      if ('tooLong' in line) {
        const size = `${limits.maxLineBytes / 1024 / 1024} MB`
        await refuse(idIn(line.tooLong), INVALID_REQUEST, `The message is longer than ${size}.`)
        continue
      }
      if (line.text === '') continue
      const message = parse(line.text)
      if (message === undefined) {
        await refuse(null, PARSE_ERROR, 'This line is not JSON.')
        continue
      }
      if (!isMessage(message)) {
        await refuse(null, INVALID_REQUEST, 'This is not a JSON-RPC 2.0 message.')
        continue
      }
      const id = message['id'] as Id | undefined // Checked by isMessage.
      if (typeof message['method'] !== 'string') {
        // Nothing was asked with this id, or it was answered before.
        if (id === undefined || !asked.delete(id)) continue
      } else if (id !== undefined) {
        if (open.has(id) || open.size >= limits.maxOpenRequests) {
          await refuse(
            id,
            open.has(id) ? INVALID_REQUEST : BUSY,
            open.has(id)
              ? 'A request with this id is open.'
              : `More than ${limits.maxOpenRequests} requests are open. Wait for an answer.`,
          )
          continue
        }
        open.add(id)
      }
      yield message as unknown as AnyMessage // Checked by isMessage; the connection checks the rest.
    }
  }

  const source = messages()
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        async pull(controller) {
          const { done, value } = await source.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: () => {
          input.destroy()
        },
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('id' in message) {
          if ('method' in message) asked.add(message.id)
          else open.delete(message.id)
        }
        return write(message)
      },
    }),
  }
}

type Line = { text: string } | { tooLong: string }

/** How much of a line that is too long is looked at, for its id. */
const HEAD_BYTES = 300
const FIRST_CAPACITY = 4_096

async function* linesOf(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  const line = new LineBytes(maxBytes)
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      line.add(chunk.subarray(start, end))
      yield line.take()
      start = end + 1
    }
    line.add(chunk.subarray(start))
  }
  if (!line.isEmpty) yield line.take()
}

/** The bytes of one line, copied into one buffer: a peer that writes single bytes must not make many small ones. */
class LineBytes {
  readonly #maxBytes: number
  #bytes = Buffer.alloc(0)
  #size = 0
  /** The start of a line that is too long; the bytes behind it are dropped. */
  #head: string | null = null

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isEmpty(): boolean {
    return this.#size === 0 && this.#head === null
  }

  add(part: Buffer): void {
    if (this.#head !== null || part.length === 0) return
    const size = this.#size + part.length
    if (size > this.#maxBytes) {
      this.#head = Buffer.concat([this.#bytes.subarray(0, this.#size), part.subarray(0, HEAD_BYTES)])
        .subarray(0, HEAD_BYTES)
        .toString('utf8')
      this.#bytes = Buffer.alloc(0)
      this.#size = 0
      return
    }
    if (size > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(size, this.#bytes.length * 2, FIRST_CAPACITY))
      this.#bytes.copy(grown, 0, 0, this.#size)
      this.#bytes = grown
    }
    part.copy(this.#bytes, this.#size)
    this.#size = size
  }

  take(): Line {
    const line: Line =
      this.#head === null
        ? { text: this.#bytes.toString('utf8', 0, this.#size).trim() }
        : { tooLong: this.#head }
    this.#bytes = Buffer.alloc(0)
    this.#size = 0
    this.#head = null
    return line
  }
}

/** Of a line that is too long to be read: only where it stands before the parameters. */
function idIn(head: string): Id {
  const found =
    /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*,)*\s*"id"\s*:\s*(?:(\d{1,15})|"([^"\\]{1,100})")/.exec(
      head,
    )
  if (!found) return null
  return found[1] === undefined ? (found[2] ?? null) : Number(found[1])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isMessage(value: unknown): value is Loose {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, id, method } = value as Loose
  if (jsonrpc !== '2.0' || (id !== undefined && !isId(id))) return false
  return method === undefined ? id !== undefined : typeof method === 'string'
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
}

/** Resolves also when the peer is gone: then the next write fails. */
async function drained(output: Writable): Promise<void> {
  const settled = new AbortController()
  try {
    await Promise.race(
      ['drain', 'close', 'error'].map((name) => once(output, name, { signal: settled.signal })),
    )
  } finally {
    settled.abort()
  }
}
