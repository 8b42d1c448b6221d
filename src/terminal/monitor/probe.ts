/**
 * What is found out about a session where no hook speaks: an interrupt, a refusal, an answer in the terminal, the death
 * of the process. Pure.
 */

import type { SessionSnapshot } from './monitor.js'
import type { RegistryEntry } from './session-registry.js'
import { endSession, endTurn } from './session-state.js'

export interface Findings {
  readonly now: number
  readonly idleAfterMs: number
  /** What Claude Code's registry says of the session; null if nothing. */
  readonly entry: RegistryEntry | null
  /** Of the process that the last line named. `unknown` if it cannot be seen from here. */
  readonly process: 'alive' | 'gone' | 'unknown'
  /** The session that the registry has for that process now; null if none. */
  readonly processIsIn: string | null
  /** Whether the registry has had time to say that it waits, as the line says. */
  readonly isWaitSeen: boolean
  /** When the transcript says that the person interrupted, last. */
  readonly interruptedAt: number | null
}

/** The registry follows the hooks by up to a seventh of a second; before it has had time it is not believed. */
const SETTLE_MS = 1_500

/** The same object if nothing was found out. */
export function inspect(known: SessionSnapshot, findings: Findings): SessionSnapshot {
  if (known.state === 'completed') return known
  const { now, entry, process, processIsIn } = findings
  if (!entry && processIsIn !== null && processIsIn !== known.sessionId) {
    return endSession(known, null, 'superseded')
  }
  if (!entry && process === 'gone') return endSession(known, null, 'process_gone')
  // Once it has said that the session waits, it is believed when it says otherwise.
  const isOver = findings.isWaitSeen && entry !== null && entry.status !== 'waiting'
  const isSettled = isOver || now - Date.parse(known.lastActivityAt) >= SETTLE_MS
  const corrected = isSettled ? correct(known, findings) : known
  return withIdle(entry ? withProcess(corrected, entry) : corrected, findings)
}

function correct(known: SessionSnapshot, { entry, interruptedAt }: Findings): SessionSnapshot {
  if (!entry || entry.status === null) {
    const isInterrupted = interruptedAt !== null && interruptedAt >= Date.parse(known.lastActivityAt)
    return known.isInTurn && isInterrupted ? endTurn(known, isoOf(interruptedAt), 'interrupted') : known
  }
  switch (entry.status) {
    case 'busy':
      if (known.activityPhase === 'busy') return known
      return { ...known, activityPhase: 'busy', isInTurn: true, waitingFor: null }
    case 'waiting':
      return waiting(known, entry)
    case 'idle': {
      if (known.activityPhase === 'interactable') return known
      const at = entry.statusAt === null ? known.lastActivityAt : isoOf(entry.statusAt)
      // A session that has only started is at its prompt; one that was in a turn has left it without a word.
      return known.isInTurn
        ? endTurn(known, at, 'interrupted')
        : { ...known, activityPhase: 'interactable', waitingFor: null }
    }
  }
}

/** The kinds of dialog that the registry names; others (a menu) are nobody's business. */
function waiting(known: SessionSnapshot, { waitingFor, statusAt }: RegistryEntry): SessionSnapshot {
  if (known.activityPhase === 'waiting_permission' || known.activityPhase === 'waiting_question') return known
  const since = statusAt === null ? known.lastActivityAt : isoOf(statusAt)
  const request = { toolName: null, agentId: null, since }
  if (waitingFor === 'permission prompt')
    return { ...known, activityPhase: 'waiting_permission', waitingFor: request }
  if (waitingFor === 'input needed')
    return { ...known, activityPhase: 'waiting_question', waitingFor: request }
  return known
}

/** Whatever the registry has seen later than the last line is activity as well. */
function withProcess(known: SessionSnapshot, { pid, statusAt }: RegistryEntry): SessionSnapshot {
  const seen = statusAt === null ? '' : isoOf(statusAt)
  const lastActivityAt = seen > known.lastActivityAt ? seen : known.lastActivityAt
  if (known.pid === pid && known.lastActivityAt === lastActivityAt) return known
  return { ...known, pid, lastActivityAt }
}

function withIdle(known: SessionSnapshot, { now, idleAfterMs, entry }: Findings): SessionSnapshot {
  const isQuiet = now - Date.parse(known.lastActivityAt) >= idleAfterMs
  const isIdle = isQuiet && entry?.status !== 'busy'
  const state = isIdle ? 'idle' : 'active'
  return known.state === state ? known : { ...known, state }
}

function isoOf(time: number): string {
  return new Date(time).toISOString()
}
