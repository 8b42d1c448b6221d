/** The effect of each key: a plain function of the state and the key. */

import { formFields } from '../../protocol/form/form-field.js'
import type { InboxRequest } from '../../protocol/request.js'
import { needsConfirmation } from '../../protocol/view/mild-request.js'
import { hint } from '../own-command.js'
import type { Key } from './key.js'
import { inAnswer, inDecline, inForm, inReason, inReview } from './press-dialog.js'
import { answer, edit, LIST, type ModeOf, type Page, type Pressed, say } from './press-step.js'
import { idOf, rowsOf, type TopState } from './state.js'

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
    case 'form':
      return inForm(fresh, state.mode, key)
    case 'decline':
      return inDecline(fresh, state.mode, key.name)
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
    case 's':
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

function decide(state: TopState, request: InboxRequest, name: 'a' | 's' | 'd' | 'e', page: Page): Pressed {
  const { id: requestId, isOnlyInTerminal, form, kind, plan } = request
  const open = (mode: TopState['mode']) => ({ state: { ...state, mode } })
  if (state.link !== 'live') return { state: say(state, 'Not connected. Nothing was answered.') }
  if (state.answering.has(requestId)) return { state: say(state, 'The answer is on its way.') }
  if (isOnlyInTerminal) return { state: say(state, 'Can be answered only in its terminal.') }
  if (form) {
    if (name === 'd') return open({ kind: 'decline', requestId })
    // A page to visit, and a form without fields: read, then y.
    const isToRead = form.url !== undefined || formFields(form).length === 0
    return open(
      isToRead
        ? { kind: 'review', requestId, top: 0 }
        : { kind: 'form', requestId, at: 0, lines: [], text: '' },
    )
  }
  if (name === 'd') return open({ kind: 'reason', requestId, text: '' })
  if (kind === 'question') return open({ kind: 'answer', requestId, answers: {}, text: '' })
  if (name === 'e' && plan === null)
    return { state: say(state, hint(`Allow another input with: signalbox allow ${requestId} --input JSON`)) }
  if (name !== 'a' || needsConfirmation(request) || !page.isWhole(request))
    return open({ kind: 'review', requestId, top: 0 })
  return answer(state, requestId, { decision: 'allow' })
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
