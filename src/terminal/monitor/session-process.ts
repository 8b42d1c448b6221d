/** The process of a terminal session: whether it is alive, and its CPU and memory. */

import type { SessionSnapshot } from './monitor.js'
import type { ProcessFacts, ProcessTable } from './process-table.js'

/** Tolerance for changes of the clock: the start time of a process is counted from boot. */
const CLOCK_SHIFT_MS = 60_000

/** State of the process named by the last line. `unknown` if it is in another PID namespace. */
export function processState(
  processes: ProcessTable,
  { pid, pidSpace, lastActivityAt }: Pick<SessionSnapshot, 'pid' | 'pidSpace' | 'lastActivityAt'>,
): 'alive' | 'gone' | 'unknown' {
  if (pid === null || (pidSpace !== null && pidSpace !== processes.space)) return 'unknown'
  const facts = processes.read(pid)
  // PID reuse: a process that started later is another one.
  return facts && facts.startedAt <= Date.parse(lastActivityAt) + CLOCK_SHIFT_MS ? 'alive' : 'gone'
}

/** Whether a process is the one in Claude Code's registry, as far as comparable. */
export function isRegistered(
  processes: ProcessTable,
  { pid, startToken }: { pid: number; startToken: string | null },
): boolean {
  const facts = processes.read(pid)
  if (!facts) return false
  const isComparable = startToken !== null && /^\d+$/.test(startToken) && /^\d+$/.test(facts.startToken)
  return !isComparable || facts.startToken === startToken
}

/** Computes CPU usage from two measurements. */
export class ProcessMeter {
  #last: { at: number; facts: ProcessFacts } | null = null

  /** Null if the process is gone. */
  measure(
    processes: ProcessTable,
    snapshot: SessionSnapshot,
    now: number,
  ): Pick<SessionSnapshot, 'cpuPercent' | 'memMb'> | null {
    const isAlive = processState(processes, snapshot) === 'alive'
    const facts = isAlive && snapshot.pid !== null ? processes.read(snapshot.pid) : null
    const last = this.#last
    this.#last = facts && { at: now, facts }
    if (!facts) return null
    const elapsed = last?.facts.startToken === facts.startToken ? now - last.at : 0
    const share = last && elapsed > 0 ? (facts.cpuMs - last.facts.cpuMs) / elapsed : null
    return {
      cpuPercent: share === null ? null : Math.round(share * 1_000) / 10,
      memMb: Math.round(facts.memMb),
    }
  }
}
