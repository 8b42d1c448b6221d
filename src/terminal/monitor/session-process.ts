/** What the process of a terminal session tells: whether it is still there, and what it uses. */

import type { SessionSnapshot } from './monitor.js'
import type { ProcessFacts, ProcessTable } from './process-table.js'

/** How far the clock may have been set since: the start of a process is counted from the boot of the machine. */
const CLOCK_SHIFT_MS = 60_000

/** Of the process that the last line named. `unknown` if it cannot be seen from here. */
export function processState(
  processes: ProcessTable,
  { pid, pidSpace, lastActivityAt }: SessionSnapshot,
): 'alive' | 'gone' | 'unknown' {
  if (pid === null || (pidSpace !== null && pidSpace !== processes.space)) return 'unknown'
  const facts = processes.read(pid)
  // One that started later only has its number.
  return facts && facts.startedAt <= Date.parse(lastActivityAt) + CLOCK_SHIFT_MS ? 'alive' : 'gone'
}

/** Whether a process is the one that Claude Code wrote down, as far as both can be compared. */
export function isRegistered(
  processes: ProcessTable,
  { pid, startToken }: { pid: number; startToken: string | null },
): boolean {
  const facts = processes.read(pid)
  if (!facts) return false
  const isComparable = startToken !== null && /^\d+$/.test(startToken) && /^\d+$/.test(facts.startToken)
  return !isComparable || facts.startToken === startToken
}

/** Processor time needs two looks. */
export class ProcessMeter {
  #last: { at: number; facts: ProcessFacts } | null = null

  /** Null if the process is not there. */
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
