/** Reads processes of this machine: their identity, CPU and memory. */

import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'

export interface ProcessFacts {
  /** Start time as counted by the operating system. Detects PID reuse. */
  readonly startToken: string
  readonly startedAt: number
  readonly cpuMs: number
  readonly memMb: number
}

export interface ProcessTable {
  /** Null if there is no such process. */
  read(pid: number): ProcessFacts | null
  /** PID namespace of this process: a PID of another namespace names another process. Null if unknown. */
  readonly space: string | null
}

/** The table, with these processes as they are now. Others are read when they are asked for. */
export function asSeenNow(table: ProcessTable, pids: readonly (number | null)[]): ProcessTable {
  const seen = new Map(pids.flatMap((pid) => (pid === null ? [] : [[pid, table.read(pid)]])))
  return { space: table.space, read: (pid) => (seen.has(pid) ? (seen.get(pid) ?? null) : table.read(pid)) }
}

/** USER_HZ: 100 on every Linux platform that Claude Code supports. */
const TICKS_PER_SECOND = 100

export function createProcessTable(platform: string = process.platform): ProcessTable {
  if (platform !== 'linux') return { read: readWithPs, space: null }
  return { read: readFromProc, space: readSpace() }
}

function readSpace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return null
  }
}

let bootTime: number | null = null

function readFromProc(pid: number): ProcessFacts | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process name in parentheses may contain anything, so parse after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    bootTime ??= Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0)
    const [user = 0, system = 0, start = 0] = [11, 12, 19].map((index) => Number(fields[index]))
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return {
      startToken: String(start),
      startedAt: (bootTime + start / TICKS_PER_SECOND) * 1_000,
      cpuMs: ((user + system) / TICKS_PER_SECOND) * 1_000,
      memMb: Number(kilobytes ?? 0) / 1_024,
    }
  } catch {
    return null
  }
}

function readWithPs(pid: number): ProcessFacts | null {
  try {
    const line = execFileSync('ps', ['-o', 'lstart=,time=,rss=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
    const found = /^(.+\d{4})\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.(\d+))?\s+(\d+)$/.exec(line)
    if (!found) return null
    const [, start = '', days = 0, hours = 0, minutes = 0, seconds = 0, , kilobytes = 0] = found
    const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
    return {
      startToken: start,
      startedAt: Date.parse(start),
      cpuMs: total * 1_000,
      memMb: Number(kilobytes) / 1_024,
    }
  } catch {
    return null
  }
}
