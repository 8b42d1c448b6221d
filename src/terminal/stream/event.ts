/**
 * Parses events of lifecycle lines. Lines may come from scripts of others: required fields are validated, the rest is
 * read loosely. Without a schema for performance: this runs for every line of a file with millions, and a schema would
 * cost more than parsing and storing together.
 */

import { asCount, asRecord, asText, type Loose } from '../../lib/read-json.js'

export type SessionLifecyclePhase = 'started' | 'ended' | 'waiting_permission' | 'waiting_question'
/** Session id that older hooks write if Claude Code gave them none. Shared by many sessions. */
export const NO_SESSION = 'unknown'

export type SkillLifecyclePhase = 'in_progress' | 'completed'

interface Common {
  /** ULID or UUID of the producer. Events are deduplicated by it. */
  readonly id: string
  readonly occurredAtIso: string
  readonly sessionId: string
  readonly provider: 'claude' | 'codex' | 'unknown'
  readonly projectPath: string | null
  readonly cwd: string | null
  /** All fields of the line, unchanged. */
  readonly fields: Loose
}

export interface SessionLifecycleEvent extends Common {
  readonly eventType: 'session.lifecycle'
  readonly phase: SessionLifecyclePhase
}

export interface SkillLifecycleEvent extends Common {
  readonly eventType: 'skill.lifecycle'
  readonly phase: SkillLifecyclePhase
  readonly skillName: string
  /** As the user would type it: `/spec docs/x.md`. */
  readonly triggerCommand: string | null
  readonly turnSeq: number | null
  readonly targetDocPath: string | null
}

export interface TurnEvent extends Common {
  readonly eventType: 'turn.start' | 'turn.end'
}

/** Events that the specification does not name: subagents, compaction, answers, and additions of later producers. */
export interface OtherLifecycleEvent extends Common {
  readonly eventType: 'other'
  /** As in the line: `agent.lifecycle`, `context.lifecycle`, `request.lifecycle`, or something new. */
  readonly kind: string
  readonly phase: string | null
}

export type LifecycleEvent = SessionLifecycleEvent | SkillLifecycleEvent | TurnEvent | OtherLifecycleEvent

/** Why a line is not an event. */
export type LineProblem =
  | 'not_json'
  | 'not_an_object'
  | 'id_invalid'
  | 'session_id_invalid'
  | 'time_invalid'
  | 'event_type_invalid'
  | 'phase_invalid'
  | 'skill_name_missing'

const ID_LIMIT = 256
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/

/** The event of a parsed line, or why it is none. */
export function readEvent(value: unknown): LifecycleEvent | LineProblem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not_an_object'
  const fields = asRecord(value)
  const { id, eventType, phase, occurredAtIso, sessionId } = fields
  if (!isId(id)) return 'id_invalid'
  if (!isId(sessionId)) return 'session_id_invalid'
  if (typeof occurredAtIso !== 'string' || !TIME.test(occurredAtIso)) return 'time_invalid'
  if (!isId(eventType)) return 'event_type_invalid'
  const provider = providerOf(fields['provider'])
  const projectPath = asText(fields['projectPath'])
  const cwd = asText(fields['cwd'])
  // Performance: object literals, because spreading would cost more than parsing the line.
  switch (eventType) {
    case 'session.lifecycle':
      if (!isSessionPhase(phase)) return 'phase_invalid'
      return { id, occurredAtIso, sessionId, provider, projectPath, cwd, fields, eventType, phase }
    case 'skill.lifecycle': {
      if (phase !== 'in_progress' && phase !== 'completed') return 'phase_invalid'
      const skillName = asText(fields['skillName'])
      if (!skillName) return 'skill_name_missing'
      const triggerCommand = asText(fields['triggerCommand'])
      const turnSeq = asCount(fields['turnSeq'])
      const targetDocPath = asText(fields['targetDocPath'])
      return {
        id,
        occurredAtIso,
        sessionId,
        provider,
        projectPath,
        cwd,
        fields,
        eventType,
        phase,
        skillName,
        triggerCommand,
        turnSeq,
        targetDocPath,
      }
    }
    case 'turn.start':
    case 'turn.end':
      return { id, occurredAtIso, sessionId, provider, projectPath, cwd, fields, eventType }
    default: {
      const known = { id, occurredAtIso, sessionId, provider, projectPath, cwd, fields }
      return { ...known, eventType: 'other', kind: eventType, phase: asText(phase) }
    }
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= ID_LIMIT
}

function isSessionPhase(value: unknown): value is SessionLifecyclePhase {
  return (
    value === 'started' || value === 'ended' || value === 'waiting_permission' || value === 'waiting_question'
  )
}

function providerOf(value: unknown): Common['provider'] {
  return value === 'claude' || value === 'codex' ? value : 'unknown'
}
