/** Keys in the dialogs that answer a request: plain functions of the state and the key. */

import { formFields } from '../../protocol/form/form-field.js'
import type { Answer, InboxRequest } from '../../protocol/request.js'
import type { Question } from '../../protocol/value.js'
import { fillField } from '../ask/fill-field.js'
import { readChosen } from '../ask/read-choice.js'
import type { Key } from './key.js'
import { answer, edit, LIST, type ModeOf, type Page, type Pressed, say } from './press-step.js'
import type { TopState } from './state.js'

export function inReview(state: TopState, mode: ModeOf<'review'>, name: string, page: Page): Pressed {
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
    case 's':
    case 'e': {
      const body = reviewAnswer(request, name)
      if (!body) return { state }
      return mode.top < last
        ? { state: say(state, 'Read it to its end first (space).') }
        : answer(state, mode.requestId, body)
    }
    case 'd': {
      const { requestId } = mode
      const next = request.form
        ? ({ kind: 'decline', requestId } as const)
        : ({ kind: 'reason', requestId, text: '' } as const)
      return { state: { ...state, mode: next } }
    }
    case 'n':
    case 'q':
    case 'escape':
      return { state: { ...state, mode: LIST } }
    default:
      return { state }
  }
}

/** Null: the request has no such answer. */
function reviewAnswer({ form, plan, grant }: InboxRequest, name: 'y' | 's' | 'e'): Answer | null {
  if (form) return name === 'y' ? { action: 'accept', ...(form.url === undefined && { content: {} }) } : null
  if (name === 'y') return { decision: 'allow' }
  if (name === 'e') return plan === null ? null : { decision: 'allow', mode: 'acceptEdits' }
  return grant ? { decision: 'allowAll' } : null
}

export function inDecline(state: TopState, { requestId }: ModeOf<'decline'>, name: string): Pressed {
  if (name === 'y') return answer(state, requestId, { action: 'decline' })
  return { state: { ...state, mode: LIST } }
}

/** Enter takes a field that is filled in correctly, and sends the form with the last one. */
export function inForm(state: TopState, mode: ModeOf<'form'>, key: Key): Pressed {
  const { requestId, at, lines, text } = mode
  const form = state.requests.find(({ id }) => id === requestId)?.form
  const fields = form ? formFields(form) : []
  const field = fields[at]
  if (key.name === 'escape' || !field) return { state: { ...state, mode: LIST } }
  const to = (next: Partial<typeof mode>) => ({ state: { ...state, mode: { ...mode, ...next } } })
  const typed = [...lines.slice(0, at), text, ...lines.slice(at + 1)]
  if (key.name === 'up')
    return at === 0 ? { state } : to({ at: at - 1, lines: typed, text: lines[at - 1] ?? '' })
  if (key.name !== 'enter') return to({ text: edit(text, key) })
  const { problem } = fillField(field, text)
  if (problem !== null) return { state: say(state, problem) }
  if (at + 1 < fields.length) return to({ at: at + 1, lines: typed, text: typed[at + 1] ?? '' })
  const content = fields.flatMap((one, index) => {
    const { value } = fillField(one, typed[index] ?? '')
    return value === null ? [] : [[one.name, value] as const]
  })
  return answer(state, requestId, { action: 'accept', content: Object.fromEntries(content) })
}

export function inReason(state: TopState, mode: ModeOf<'reason'>, key: Key): Pressed {
  if (key.name === 'escape') return { state: { ...state, mode: LIST } }
  if (key.name !== 'enter') return { state: { ...state, mode: { ...mode, text: edit(mode.text, key) } } }
  const message = mode.text.trim()
  return answer(state, mode.requestId, { decision: 'deny', ...(message && { message }) })
}

export function inAnswer(state: TopState, mode: ModeOf<'answer'>, key: Key): Pressed {
  const questions = state.requests.find(({ id }) => id === mode.requestId)?.questions ?? []
  const question = questions.find((one) => !(one.question in mode.answers))
  if (key.name === 'escape' || !question) return { state: { ...state, mode: LIST } }
  if (key.name !== 'enter') return { state: { ...state, mode: { ...mode, text: edit(mode.text, key) } } }
  const choice = choiceOf(question, mode.text.trim())
  if (choice instanceof Error) return { state: say(state, choice.message) }
  const answers = { ...mode.answers, [question.question]: choice }
  return questions.every((one) => one.question in answers)
    ? answer(state, mode.requestId, { answers })
    : { state: { ...state, mode: { ...mode, answers, text: '' } } }
}

function choiceOf(question: Question, text: string): string | string[] | Error {
  if (text === '') return new Error('Type the number of an option, or your own text.')
  try {
    return readChosen(question, text)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
