/** Passes MCP messages between standard input and output and the daemon. All checks are the daemon's. */

import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { retryDelay } from '../../lib/back-off.js'
import { type BoundedLine, boundedLines } from './bounded-lines.js'
import { failure, HttpSession, type HttpSessionDeps, type Message } from './http-session.js'

export interface BridgeDeps extends HttpSessionDeps {
  input: Readable
  output: Writable
}

const MAX_CHARACTERS = 1024 * 1024
/** Backpressure: further input is not read while this many requests are open. */
const MAX_OPEN = 8

/** Resolves at the end of the input. */
export async function runBridge({ input, output, ...deps }: BridgeDeps): Promise<void> {
  const session = new HttpSession(deps)
  const open = new Set<Promise<void>>()
  const ended = new AbortController()
  let following = Promise.resolve()
  let isFollowing = false

  const write = async (message: Message) => {
    if (!output.write(`${JSON.stringify(message)}\n`) && !output.destroyed) await once(output, 'drain')
  }
  const pass = async (message: Message) => {
    try {
      for (const reply of await session.send(message)) await write(reply)
    } catch (error) {
      if (message['id'] !== undefined && message['method'] !== undefined)
        await write(failure(message['id'], error instanceof Error ? error.message : 'Internal error.'))
    }
  }
  const take = async (line: BoundedLine) => {
    const message = readMessage(line)
    if ('problem' in message) return write(failure(message.id, message.problem))
    const work = pass(message.message).finally(() => open.delete(work))
    open.add(work)
    if (message.message['method'] === 'initialize') await work
    if (session.isOpen && !isFollowing) {
      isFollowing = true
      following = follow(session, write, ended.signal)
    }
    if (open.size >= MAX_OPEN) await Promise.race(open)
  }

  for await (const line of boundedLines(input, MAX_CHARACTERS)) await take(line)
  await Promise.all(open)
  ended.abort()
  await following
  await session.close()
}

/** Notifications, over any number of connections. After a reconnect all subscribed resources are reported as changed. */
async function follow(
  session: HttpSession,
  write: (message: Message) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  let isFirst = true
  const changed = (uri: string) =>
    write({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
  while (!signal.aborted) {
    const opened = () => {
      failures = 0
      if (!isFirst) for (const uri of session.subscribed) void changed(uri)
      isFirst = false
    }
    await session.listen(opened, write, signal).catch(() => {})
    failures += 1
    await wait(retryDelay(failures, { maxMs: 10_000 }), undefined, { signal }).catch(() => {})
  }
}

type Read = { message: Message } | { problem: string; id: unknown }

function readMessage(line: BoundedLine): Read {
  if ('tooLong' in line) {
    // The id of a request stands at one of its ends.
    const [, id = null] =
      /"id"\s*:\s*("[^"\\]{1,100}"|\d{1,15})\s*[,}]/.exec(`${line.end}\n${line.beginning}`) ?? []
    return { problem: `The message is larger than ${MAX_CHARACTERS} characters.`, id: id && JSON.parse(id) }
  }
  try {
    const message: unknown = JSON.parse(line.text)
    if (typeof message === 'object' && message !== null && !Array.isArray(message))
      return { message: { ...message } }
  } catch {
    // Reported below.
  }
  return { problem: 'The line is not a JSON-RPC message.', id: null }
}
