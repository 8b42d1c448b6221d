/** The effect of each key: a plain function of the state and the key. */

import type { Answer, InboxRequest } from '../../protocol/request.js'
import type { Question } from '../../protocol/value.js'
import type { Key } from './key.js'
import { needsConfirmation } from './request-text.js'
import { idOf, rowsOf, type TopState } from './state.js'
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

const LIST = { kind: 'list' } as const

export function press(state: TopState, key: Key, page: Page): Pressed {
  if (key.name === 'ctrl-c') return { state, effect: { kind: 'quit' } }
  const fresh = { ...state, message: '' }
  switch (state.mode.kind) {
    case 'list':
      return inList(fresh, key.name, page)
    case 'help':
      return { state: { ...fresh, mode: LIST } }
    case 'filter':
      return inFilter(fresh, state.mode, key)
    case 'review':
      return inReview(fresh, state.mode, key.name, page)
    case 'reason':
      return inReason(fresh, state.mode, key)
    case 'answer':
      return inAnswer(fresh, state.mode, key)
    case 'session':
      return inSession(fresh, state.mode, key.name, page)
  }
}

function inList(state: TopState, name: string, page: Page): Pressed {
  const request = state.requests.find(({ id }) => id === state.selected)
  switch (name) {
    case 'q':
      return { state, effect: { kind: 'quit' } }
    case 'j':
    case 'down':
      return { state: step(state, 1) }
    case 'k':
    case 'up':
      return { state: step(state, -1) }
    case '?':
      return { state: { ...state, mode: { kind: 'help' } } }
    case '/':
      return { state: { ...state, mode: { kind: 'filter', text: state.filter } } }
    case 'escape':
      return { state: { ...state, filter: '' } }
    case 'enter': {
      const sessionId = request?.sessionId ?? state.sessions.find(({ id }) => id === state.selected)?.id
      return sessionId === undefined
        ? { state }
        : { state: { ...state, mode: { kind: 'session', sessionId, up: 0 } } }
    }
    case 'a':
    case 'd':
    case 'e':
      return request ? decide(state, request, name, page) : { state: say(state, 'Select a request first.') }
    default:
      return { state }
  }
}

function step(state: TopState, by: number): TopState {
  const ids = rowsOf(state).map(idOf)
  const at = ids.indexOf(state.selected ?? '')
  const next = ids[at < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, at + by))]
  return { ...state, selected: next ?? null }
}

function decide(state: TopState, request: InboxRequest, name: 'a' | 'd' | 'e', page: Page): Pressed {
  const { id: requestId, isOnlyInTerminal, form, kind } = request
  if (state.link !== 'live') return { state: say(state, 'Not connected. Nothing was answered.') }
  if (state.answering.has(requestId)) return { state: say(state, 'The answer is on its way.') }
  if (isOnlyInTerminal) return { state: say(state, 'Can be answered only in its terminal.') }
  if (form || (name === 'e' && kind === 'permission'))
    return {
      state: say(state, `Answer it with: signalbox ${form ? 'answer' : 'allow --input JSON'} ${requestId}`),
    }
  if (name === 'd') return { state: { ...state, mode: { kind: 'reason', requestId, text: '' } } }
  if (kind === 'question')
    return { state: { ...state, mode: { kind: 'answer', requestId, answers: {}, text: '' } } }
  if (needsConfirmation(request) || !page.isWhole(request))
    return { state: { ...state, mode: { kind: 'review', requestId, top: 0 } } }
  return answer(state, requestId, { decision: 'allow' })
}

/** The only way to an answer: a request whose answer is on its way is not answered again. */
function answer(state: TopState, requestId: string, body: Answer): Pressed {
  const closed = { ...state, mode: LIST }
  if (state.link !== 'live') return { state: say(closed, 'Not connected. Nothing was answered.') }
  if (state.answering.has(requestId)) return { state: closed }
  return {
    state: { ...closed, answering: new Set([...state.answering, requestId]) },
    effect: { kind: 'answer', requestId, body },
  }
}

type ModeOf<Kind extends TopState['mode']['kind']> = TopState['mode'] & { kind: Kind }

function inReview(state: TopState, mode: ModeOf<'review'>, name: string, page: Page): Pressed {
  const request = state.requests.find(({ id }) => id === mode.requestId)
  if (!request) return { state: { ...state, mode: LIST } }
  const last = page.lastTop(request)
  const scroll = (by: number) => ({
    state: { ...state, mode: { ...mode, top: Math.max(0, Math.min(last, mode.top + by)) } },
  })
  switch (name) {
    case 'j':
    case 'down':
      return scroll(1)
    case 'k':
    case 'up':
      return scroll(-1)
    case ' ':
    case 'page-down':
      return scroll(page.rows)
    case 'page-up':
      return scroll(-page.rows)
    case 'y':
      return mode.top < last
        ? { state: say(state, 'Read it to its end first (space).') }
        : answer(state, mode.requestId, { decision: 'allow' })
    case 'd':
      return { state: { ...state, mode: { kind: 'reason', requestId: mode.requestId, text: '' } } }
    case 'n':
    case 'q':
    case 'escape':
      return { state: { ...state, mode: LIST } }
    default:
      return { state }
  }
}

function inReason(state: TopState, mode: ModeOf<'reason'>, key: Key): Pressed {
  if (key.name === 'escape') return { state: { ...state, mode: LIST } }
  if (key.name !== 'enter') return { state: { ...state, mode: { ...mode, text: edit(mode.text, key) } } }
  const message = mode.text.trim()
  return answer(state, mode.requestId, { decision: 'deny', ...(message && { message }) })
}

function inAnswer(state: TopState, mode: ModeOf<'answer'>, key: Key): Pressed {
  const questions = state.requests.find(({ id }) => id === mode.requestId)?.questions ?? []
  const question = questions.find((one) => !(one.question in mode.answers))
  if (key.name === 'escape' || !question) return { state: { ...state, mode: LIST } }
  if (key.name !== 'enter') return { state: { ...state, mode: { ...mode, text: edit(mode.text, key) } } }
  const choice = choiceOf(question, mode.text.trim())
  if (choice === null) return { state: say(state, 'Type the number of an option, or your own text.') }
  const answers = { ...mode.answers, [question.question]: choice }
  return questions.every((one) => one.question in answers)
    ? answer(state, mode.requestId, { answers })
    : { state: { ...state, mode: { ...mode, answers, text: '' } } }
}

/** Numbers choose options; other text is the answer itself. A number without an option is a mistake. */
function choiceOf({ options = [], multiSelect }: Question, text: string): string | string[] | null {
  if (text === '') return null
  if (!/^\d+(?:\s*,\s*\d+)*$/.test(text)) return text
  const labels = text.split(',').map((part) => options[Number(part) - 1]?.label)
  const known = labels.filter((label) => label !== undefined)
  if (known.length < labels.length || (!multiSelect && known.length > 1)) return null
  return multiSelect ? known : (known[0] ?? null)
}

function inFilter(state: TopState, mode: ModeOf<'filter'>, key: Key): Pressed {
  if (key.name === 'escape') return { state: { ...state, mode: LIST, filter: '' } }
  if (key.name === 'enter') return { state: { ...state, mode: LIST } }
  const text = edit(mode.text, key)
  return { state: { ...state, mode: { ...mode, text }, filter: text } }
}

function inSession(state: TopState, mode: ModeOf<'session'>, name: string, page: Page): Pressed {
  const by = { k: 1, up: 1, j: -1, down: -1, 'page-up': page.rows, 'page-down': -page.rows }[name]
  if (by !== undefined) return { state: { ...state, mode: { ...mode, up: Math.max(0, mode.up + by) } } }
  return ['q', 'escape', 'enter'].includes(name) ? { state: { ...state, mode: LIST } } : { state }
}

function edit(text: string, { name, text: pasted }: Key): string {
  if (name === 'backspace') return graphemesOf(text).slice(0, -1).join('')
  if (name === 'paste') return text + (pasted ?? '').replaceAll(/\s+/g, ' ')
  return /^\P{Cc}$/u.test(name) ? text + name : text
}

function say(state: TopState, message: string): TopState {
  return { ...state, message }
}
