/**
 * Whether the process at the other end of a connection belongs to a session of this home: by the mark that its environment,
 * or that of a process above it, carries. Linux only; elsewhere clients say it themselves. Fail closed: on this machine, a
 * process that cannot be found counts as one of a session.
 */

import { readdir, readFile, readlink } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { MARK, markOf } from '../session/claude/process-identity.js'

type Peer = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>

export function createSessionCheck(home: string): (peer: Peer) => Promise<boolean> {
  const wanted = `\0${MARK}=${markOf(home)}`
  return async (peer) => {
    if (process.platform !== 'linux') return false
    const sockets = await socketsOf(peer)
    // A remote client has no socket here; one on loopback that has none has closed it.
    if (sockets.length === 0) return isLoopback(peer.remoteAddress)
    const owners = await ownersOf(sockets)
    if (owners.length === 0) return sockets.some(({ uid }) => uid === process.getuid?.())
    for (const pid of owners) if (await isMarked(pid, wanted)) return true
    return false
  }
}

interface PeerSocket {
  inode: string
  uid: number
}

/** The client's side of the connection, as the system lists it. */
async function socketsOf({ remotePort = 0, localPort = 0 }: Peer): Promise<PeerSocket[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => textOf(`/proc/net/${name}`)))
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, own, other]) => portIn(own) === remotePort && portIn(other) === localPort)
    .map((fields) => ({ uid: Number(fields[7]), inode: fields[9] ?? '0' }))
    .filter(({ inode }) => inode !== '0')
}

function portIn(address = ''): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
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

/** Looks at the process and all above it: one may have dropped the variable. */
async function isMarked(pid: string, wanted: string): Promise<boolean> {
  for (let at = pid, steps = 0; Number(at) > 1 && steps < MAX_STEPS; steps += 1) {
    if (Number(at) !== process.pid && `\0${await textOf(`/proc/${at}/environ`)}`.includes(wanted)) return true
    // The name of the program may contain anything; the state and the parent stand behind its last bracket.
    const stat = await textOf(`/proc/${at}/stat`)
    at = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '0'
  }
  return false
}

const MAX_STEPS = 100

function textOf(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '')
}

function isLoopback(address = ''): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}
