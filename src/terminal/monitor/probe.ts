/**
 * Infers changes of a session for which no hook fires: an interrupt, a denial, an answer in the terminal, the end of
 * the process. Pure.
 */

import type { SessionSnapshot } from './monitor.js'
import type { RegistryEntry } from './session-registry.js'
import { endSession, endTurn } from './session-state.js'

export interface Findings {
  readonly now: number
  readonly idleAfterMs: number
  /** The session's entry in Claude Code's registry; null if there is none. */
  readonly entry: RegistryEntry | null
  /** State of the process named by the last line. `unknown` if it is in another PID namespace. */
  readonly process: 'alive' | 'gone' | 'unknown'
  /** The session that the registry now has for that process; null if none. */
  readonly processIsIn: string | null
  /** Whether the registry has confirmed that the session waits. */
  readonly isWaitSeen: boolean
  /** Time of the user's last interrupt, according to the transcript. */
  readonly interruptedAt: number | null
}

/** The registry lags behind the hooks by up to about 150 ms. Before this time it is ignored. */
const SETTLE_MS = 1_500
/** A turn begins with the hook of its prompt, which is slow on a busy machine. */
const PROMPT_MS = 5_000

/** Returns the same object if nothing changed. */
export function inspect(known: SessionSnapshot, findings: Findings): SessionSnapshot {
  if (known.state === 'completed') return known
  const { now, entry, process, processIsIn } = findings
  if (!entry && processIsIn !== null && processIsIn !== known.sessionId) {
    return endSession(known, null, 'superseded')
  }
  if (!entry && process === 'gone') return endSession(known, null, 'process_gone')
  // Once the registry has confirmed the wait, a different status means that it is over.
  const isOver = findings.isWaitSeen && entry !== null && entry.status !== 'waiting'
  const isSettled = isOver || now - Date.parse(known.lastActivityAt) >= SETTLE_MS
  const corrected = isSettled ? correct(known, findings) : known
  return withIdle(entry ? withProcess(corrected, entry) : corrected, findings)
}

function correct(known: SessionSnapshot, { now, entry, interruptedAt }: Findings): SessionSnapshot {
  if (!entry || entry.status === null) {
    const isInterrupted = interruptedAt !== null && interruptedAt >= Date.parse(known.lastActivityAt)
    return known.isInTurn && isInterrupted ? endTurn(known, isoOf(interruptedAt), 'interrupted') : known
  }
  switch (entry.status) {
    case 'busy':
      if (known.activityPhase === 'busy') return known
      if (!known.isInTurn && now - Date.parse(known.lastActivityAt) < PROMPT_MS) return known
      return { ...known, activityPhase: 'busy', isInTurn: true, waitingFor: null }
    case 'waiting':
      return waiting(known, entry)
    case 'idle': {
      if (known.activityPhase === 'interactable') return known
      const at = entry.statusAt === null ? known.lastActivityAt : isoOf(entry.statusAt)
      // A session that just started is at its prompt. One that was in a turn was interrupted.
      return known.isInTurn
        ? endTurn(known, at, 'interrupted')
        : { ...known, activityPhase: 'interactable', waitingFor: null }
    }
  }
}

/** The dialogs that the registry distinguishes. Others, such as a menu, are ignored. */
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

/** A registry update after the last line counts as activity. */
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
