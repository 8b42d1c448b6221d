/**
 * Whether the process at the other end of a connection belongs to a session of this home: by the mark that its environment, or
 * that of a process above it, carries, or because one of them is the CLI of a terminal session. Linux only; elsewhere clients
 * say it themselves. Fail closed: on this machine, a process that cannot be found counts as one of a session.
 */

import { readdir, readFile, readlink } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness, networkInterfaces } from 'node:os'
import type { SessionSnapshot } from '../protocol/terminal/terminal-session.js'
import { MARK, markOf } from '../session/claude/process-identity.js'
import { createProcessTable } from '../terminal/monitor/process-table.js'
import { processState } from '../terminal/monitor/session-process.js'

type TerminalProcess = Pick<SessionSnapshot, 'pid' | 'pidSpace' | 'lastActivityAt'>
/** The ends of a connection, as far as they are known. */
type Peer = {
  [Name in 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort']?: Socket[Name] | undefined
}

/** `terminals`: the sessions of terminals, whose processes carry no mark. */
export function createSessionCheck(
  home: string,
  terminals: () => Promise<readonly TerminalProcess[]> = async () => [],
): (peer: Peer) => Promise<boolean> {
  const wanted = `\0${MARK}=${markOf(home)}`
  const processes = createProcessTable()
  return async (peer) => {
    if (process.platform !== 'linux') return false
    const { remoteAddress } = peer
    // The client has reset the connection: where it came from is not known any more.
    if (remoteAddress === undefined) return true
    const sockets = await socketsOf(peer)
    // A remote client has no socket here; one on this machine that has none has closed it.
    if (sockets.length === 0) return isOwnAddress(remoteAddress)
    const owners = await ownersOf(sockets)
    if (owners.length === 0) return sockets.some(({ uid }) => uid === process.getuid?.())
    const alive = (await terminals()).filter((session) => processState(processes, session) === 'alive')
    const clis = new Set(alive.map(({ pid }) => String(pid)))
    for (const pid of owners) if (await isInside(pid, wanted, clis)) return true
    return false
  }
}

interface PeerSocket {
  inode: string
  uid: number
}

/** The client's side of the connection, as the system lists it. */
async function socketsOf(peer: Peer): Promise<PeerSocket[]> {
  const client = endOf(peer.remoteAddress, peer.remotePort)
  const server = endOf(peer.localAddress, peer.localPort)
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => textOf(`/proc/net/${name}`)))
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, own, other]) => listedEnd(own) === client && listedEnd(other) === server)
    .map((fields) => ({ uid: Number(fields[7]), inode: fields[9] ?? '0' }))
    .filter(({ inode }) => inode !== '0')
}

/** One end of a connection. With its address: the ports alone may be those of another connection as well. */
function endOf(address = '', port = 0): string {
  return `${bytesOf(address)}:${port}`
}

/** As the system lists it: four bytes at a time, in the order of the processor. */
function listedEnd(field = ''): string {
  const [address = '', port = ''] = field.split(':')
  const words = address.match(/.{8}/g) ?? []
  const inOrder = words.map((word) =>
    endianness() === 'LE' ? (word.match(/../g) ?? []).toReversed().join('') : word,
  )
  return `${plainBytes(inOrder.join('').toLowerCase())}:${Number.parseInt(port, 16)}`
}

/** The bytes of an address in hexadecimal digits. */
function bytesOf(address: string): string {
  const [bare = ''] = address.split('%')
  if (bare.includes('.'))
    return bare
      .slice(bare.lastIndexOf(':') + 1)
      .split('.')
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('')
  const [head = [], tail = []] = bare.split('::').map((half) => half.split(':').filter((part) => part !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  const parts = [...head, ...(bare.includes('::') ? zeros : []), ...tail]
  return plainBytes(parts.map((part) => part.toLowerCase().padStart(4, '0')).join(''))
}

/** An address of version 4 within one of version 6 is the same. */
function plainBytes(bytes: string): string {
  return bytes.replace(/^0{20}ffff/, '')
}

async function ownersOf(sockets: readonly PeerSocket[]): Promise<string[]> {
  const wanted = new Set(sockets.map(({ inode }) => `socket:[${inode}]`))
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const holds = await Promise.all(pids.map((pid) => hasSocket(pid, wanted)))
  return pids.filter((_, index) => holds[index])
}

async function hasSocket(pid: string, wanted: ReadonlySet<string>): Promise<boolean> {
  try {
    const folder = `/proc/${pid}/fd`
    const links = (await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => ''))
    return (await Promise.all(links)).some((link) => wanted.has(link))
  } catch {
    return false // It belongs to another user, or has just exited.
  }
}

/** Looks at the process and all above it: one may have dropped the variable. Fail closed: true where the way up is lost. */
async function isInside(pid: string, wanted: string, clis: ReadonlySet<string>): Promise<boolean> {
  let at = pid
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (Number(at) <= 1) return false
    if (clis.has(at)) return true
    if (Number(at) !== process.pid && `\0${await textOf(`/proc/${at}/environ`)}`.includes(wanted)) return true
    // The name of the program may contain anything; the state and the parent stand behind its last bracket.
    const stat = await textOf(`/proc/${at}/stat`)
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    if (parent === undefined) return true
    at = parent
  }
  return true
}

const MAX_STEPS = 100

function textOf(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '')
}

/** A process of this machine may also use an address that others reach the machine by. */
function isOwnAddress(address: string): boolean {
  const bytes = bytesOf(address)
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return /^(?:7f.{6}|0{31}1)$/.test(bytes) || own.some((known) => bytesOf(known.address) === bytes)
}
