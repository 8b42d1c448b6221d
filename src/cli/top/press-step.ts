/** The outcome of a key, and the steps that all dialogs share. */

import type { Answer, InboxRequest } from '../../protocol/request.js'
import type { Key } from './key.js'
import type { TopState } from './state.js'
import { graphemesOf } from './wrap.js'

export type Effect = { kind: 'quit' } | { kind: 'answer'; requestId: string; body: Answer }

export interface Pressed {
  state: TopState
  effect?: Effect
}

/** Measures of the view that decide what a key may do. */
export interface Page {
  /** Whether the details show a request completely. */
  isWhole(request: InboxRequest): boolean
  /** How far the text of a request can be scrolled. */
  lastTop(request: InboxRequest): number
  rows: number
}

export const LIST = { kind: 'list' } as const

export type ModeOf<Kind extends TopState['mode']['kind']> = TopState['mode'] & { kind: Kind }

/** The only way to an answer: a request whose answer is on its way is not answered again. */
export function answer(state: TopState, requestId: string, body: Answer): Pressed {
  const closed = { ...state, mode: LIST }
  if (state.link !== 'live') return { state: say(closed, 'Not connected. Nothing was answered.') }
  if (state.answering.has(requestId)) return { state: closed }
  return {
    state: { ...closed, answering: new Set([...state.answering, requestId]) },
    effect: { kind: 'answer', requestId, body },
  }
}

export function edit(text: string, { name, text: pasted }: Key): string {
  if (name === 'backspace') return graphemesOf(text).slice(0, -1).join('')
  if (name === 'paste') return text + (pasted ?? '').replaceAll(/\s+/g, ' ')
  return /^\P{Cc}$/u.test(name) ? text + name : text
}

export function say(state: TopState, message: string): TopState {
  return { ...state, message }
}
