/** The scope of the Changes tab: all changes of a session, those of a turn, a call or an agent, or a comparison of states. */

import type { Change } from '../../../../src/protocol/index.js'

export type Scope =
  | { kind: 'all' | 'start' | 'head' }
  | { kind: 'turn'; turn: number }
  | { kind: 'agent'; agent: string }
  | { kind: 'change'; change: string }

export function scopeKey(scope: Scope): string {
  if (scope.kind === 'turn') return `turn:${scope.turn}`
  if (scope.kind === 'agent') return `agent:${scope.agent}`
  return scope.kind === 'change' ? `change:${scope.change}` : scope.kind
}

export function readScope(text: string | null): Scope {
  const [, kind = '', value = ''] = /^(\w+)(?::(.+))?$/.exec(text ?? '') ?? []
  if (kind === 'turn' && Number(value) > 0) return { kind, turn: Number(value) }
  if (kind === 'agent' && value !== '') return { kind, agent: value }
  if (kind === 'change' && value !== '') return { kind, change: value }
  return { kind: kind === 'start' || kind === 'head' ? kind : 'all' }
}

/** The query of a diff. */
export function diffQuery(scope: Scope) {
  if (scope.kind === 'turn') return { turn: scope.turn }
  if (scope.kind === 'agent') return { agent: scope.agent }
  if (scope.kind === 'change') return { change: scope.change }
  return scope.kind === 'all' ? {} : { against: scope.kind }
}

/** Pictures are those of changes; a comparison of states shows the pictures of all changes. */
export function pictureQuery(scope: Scope) {
  return scope.kind === 'start' || scope.kind === 'head' ? {} : diffQuery(scope)
}

/** The undo of a scope, where that is possible. A comparison of states cannot: others changed files too. */
export function undoBody(scope: Scope) {
  if (scope.kind === 'turn') return { turn: scope.turn }
  if (scope.kind === 'agent') return { agent: scope.agent }
  if (scope.kind === 'change') return { changes: [scope.change] }
  return scope.kind === 'all' ? ({ all: true } as const) : null
}

export interface TurnGroup {
  turn: number | null
  changes: readonly Change[]
}

/** Newest turn first, its changes in their order. Undos stand alone. */
export function groupByTurn(changes: readonly Change[]): TurnGroup[] {
  const groups: { turn: number | null; changes: Change[] }[] = []
  for (const change of changes) {
    const last = groups.at(-1)
    if (last && last.turn !== null && last.turn === change.turn) last.changes.push(change)
    else groups.push({ turn: change.turn, changes: [change] })
  }
  return groups.toReversed()
}

export function agentsIn(changes: readonly Change[]): string[] {
  return [...new Set(changes.flatMap(({ agentId }) => agentId ?? []))]
}
