/**
 * The keeper, a process of its own: `node keeper.js FOLDER KEEP_MS`. It holds the CLI processes of one home, so that they
 * outlive the daemon. It knows nothing of what they say. It ends them when no daemon has come back in time, and itself when it has
 * neither a process nor a client.
 */

import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createLineSplitter } from '../../lib/line-splitter.js'
import { reap } from '../claude/reaper.js'
import {
  type InputOrder,
  KEEPER_VERSION,
  type KeeperReply,
  type KeeperRequest,
  SECRET_LENGTH,
  SECRET_NAME,
  SOCKET_NAME,
} from './keeper-protocol.js'
import { KeptChild } from './kept-child.js'

interface Held {
  child: KeptChild
  client: Socket | null
  cancelEnd: () => void
}

const [runFolder = '', keepText = ''] = process.argv.slice(2)
const keepMs = Number(keepText)
const secret = readFileSync(join(runFolder, SECRET_NAME), 'utf8')
const held = new Map<string, Held>()
const clients = new Set<Socket>()
/** The daemon that has started it connects at once. */
const FIRST_CLIENT_MS = 10_000
const NEXT_CLIENT_MS = 250
/** A request has the arguments and the environment of a process, for which systems have lower limits. */
const MAX_REQUEST = 16 << 20
let cancelOwnEnd = endLater(FIRST_CLIENT_MS, endIfUnused)

function endLater(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms)
  return () => clearTimeout(timer)
}

function endIfUnused(): void {
  if (held.size === 0 && clients.size === 0) process.exit(0)
}

function planOwnEnd(): void {
  cancelOwnEnd()
  cancelOwnEnd = endLater(NEXT_CLIENT_MS, endIfUnused)
}

function serve(socket: Socket): void {
  clients.add(socket)
  socket.setNoDelay(true)
  let one: Held | null = null
  let isOpen = false
  let unread = 0
  const reply = (line: KeeperReply) => socket.write(`${JSON.stringify(line)}\n`)
  // A line that its sender could not finish is dropped with the connection.
  const split = createLineSplitter((line) => {
    const said = parse(line)
    if (isOpen) {
      if (one && isOrder(said)) one.child.give(said)
      return
    }
    const request = said as KeeperRequest | null
    // Security: a process of an agent that could write here would answer its own permissions.
    if (secret.length < SECRET_LENGTH || request?.secret !== secret) return socket.destroy()
    isOpen = true
    if (request.op === 'hello') reply({ version: KEEPER_VERSION, pid: process.pid })
    else one = request.op === 'start' ? start(request, reply) : attach(request.folder, reply)
    // Nothing more can be said about a process that is not there.
    if (!one) return void (request.op !== 'hello' && socket.end())
    one.client?.destroy()
    one.client = socket
    one.cancelEnd()
  })
  socket.on('data', (data) => {
    unread += data.length
    if (!isOpen && unread > MAX_REQUEST) socket.destroy()
    else split(data)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    clients.delete(socket)
    if (one?.client === socket) leave(one)
    planOwnEnd()
  })
}

function start(request: KeeperRequest & { op: 'start' }, reply: (line: KeeperReply) => void): Held | null {
  let child: KeptChild
  try {
    child = new KeptChild(request)
  } catch (error) {
    reply({ error: error instanceof Error ? error.message : 'it could not be started' })
    return null
  }
  const one: Held = { child, client: null, cancelEnd: () => {} }
  held.set(request.folder, one)
  void child.exited.then((exit) => {
    one.cancelEnd()
    held.delete(request.folder)
    one.client?.end(`${JSON.stringify({ exit })}\n`)
    planOwnEnd()
  })
  reply({ pid: child.pid, sent: 0 })
  return one
}

function attach(folder: string, reply: (line: KeeperReply) => void): Held | null {
  const one = held.get(folder)
  reply(one ? { pid: one.child.pid, sent: one.child.sent } : { gone: true })
  return one ?? null
}

/** No client any more: another may come for as long as this. */
function leave(one: Held): void {
  one.client = null
  one.cancelEnd = endLater(keepMs, () => void reap(one.child.mark))
}

async function endAll(): Promise<void> {
  await Promise.all([...held.values()].map(({ child }) => reap(child.mark)))
  process.exit(0)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function isOrder(said: unknown): said is InputOrder {
  return said === 'end' || (Array.isArray(said) && said.length === 2 && said.every(Number.isSafeInteger))
}

for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGUSR2'] as const) process.on(signal, () => {})
process.once('SIGTERM', () => void endAll())
const path = join(runFolder, SOCKET_NAME)
rmSync(path, { force: true })
createServer(serve).listen(path, () => chmodSync(path, 0o600))
