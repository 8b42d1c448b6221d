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

async function* linesOf(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let size = 0
  /** The start of a line that is too long; the bytes behind it are dropped. */
  let head: string | null = null
  const take = (): Line => {
    const line: Line =
      head === null ? { text: Buffer.concat(parts).toString('utf8').trim() } : { tooLong: head }
    parts = []
    size = 0
    head = null
    return line
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0
    while (start < chunk.length) {
      const newline = chunk.indexOf(0x0a, start)
      const end = newline === -1 ? chunk.length : newline
      size += end - start
      if (head === null) {
        parts.push(chunk.subarray(start, end))
        if (size > maxBytes) {
          head = Buffer.concat(parts).subarray(0, HEAD_BYTES).toString('utf8')
          parts = []
        }
      }
      if (newline !== -1) yield take()
      start = end + 1
    }
  }
  if (size > 0) yield take()
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
