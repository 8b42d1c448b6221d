/** The screen of `top` as lines: a plain function of the state and the size. */

import { basename } from 'node:path'
import type { createColors } from 'picocolors'
import { formFields } from '../../protocol/form/form-field.js'
import type { InboxRequest } from '../../protocol/request.js'
import { fieldLabel } from '../ask/read-field.js'
import { whereText } from '../list/request-text.js'
import { conditionText, titleOf } from '../list/session-text.js'
import { oneLine } from '../output/text.js'
import { fit, widthOf } from '../output/width.js'
import { formPage, visiblePart } from './form-text.js'
import type { Page } from './press-step.js'
import { requestText } from './request-text.js'
import { idOf, type Row, rowsOf, selectedSession, type TopState } from './state.js'
import { wrapText } from './wrap.js'

export interface Size {
  columns: number
  rows: number
}

type Color = ReturnType<typeof createColors>

const STATE_COLUMNS = 15
/** Rows besides the list and the details: the header, the line between them, and the footer. */
const FRAME = 3

function listRows({ rows }: Size): number {
  return Math.max(1, Math.floor((rows - FRAME) / 2))
}

function detailRows(size: Size): number {
  return Math.max(1, size.rows - FRAME - listRows(size))
}

export function pageOf(size: Size): Page {
  const lines = (request: InboxRequest) => requestLines(request, size.columns).length
  return {
    isWhole: (request) => lines(request) <= detailRows(size),
    lastTop: (request) => Math.max(0, lines(request) - (size.rows - 2)),
    rows: Math.max(1, size.rows - 2),
  }
}

/** A request does not change, and the screen is drawn each second. */
const wrapped = new WeakMap<InboxRequest, { columns: number; lines: string[] }>()

function requestLines(request: InboxRequest, columns: number): string[] {
  const known = wrapped.get(request)
  if (known?.columns === columns) return known.lines
  const lines = wrapText(requestText(request), columns)
  wrapped.set(request, { columns, lines })
  return lines
}

export function viewOf(state: TopState, size: Size, now: number, color: Color): string[] {
  const { columns, rows } = size
  const body = bodyOf(state, size, now, color)
  const lines = [headerOf(state, columns, color), ...body.slice(0, rows - 2)]
  while (lines.length < rows - 1) lines.push('')
  return [...lines, footerOf(state, columns, color)].slice(0, rows)
}

function headerOf({ sessions, requests, link, filter }: TopState, columns: number, color: Color): string {
  const state = {
    live: '',
    connecting: ' · Connecting',
    lost: ' · Connection lost, reconnecting. The list may be old.',
  }[link]
  const filtered = filter === '' ? '' : ` · filter: ${oneLine(filter)}`
  const text = `Signalbox · ${requests.length} waiting · ${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}${filtered}`
  const line = fit(`${text}${state}`, columns)
  return link === 'lost' ? color.red(line) : color.bold(line)
}

function bodyOf(state: TopState, size: Size, now: number, color: Color): string[] {
  const { mode } = state
  const rows = size.rows - 2
  if (mode.kind === 'help') return HELP.map((line) => fit(line, size.columns))
  if (mode.kind === 'session') {
    const lines = tailLines(state, mode.sessionId, size.columns)
    const end = Math.max(Math.min(rows, lines.length), lines.length - mode.up)
    return lines.slice(Math.max(0, end - rows), end)
  }
  const request = 'requestId' in mode ? state.requests.find(({ id }) => id === mode.requestId) : undefined
  if (request && mode.kind === 'review')
    return requestLines(request, size.columns).slice(mode.top, mode.top + rows)
  if (request && mode.kind === 'form') return visiblePart(formPage(request, mode, size.columns), rows)
  const list = listOf(state, size, now, color)
  return [...list, color.dim(ruleOf(state, size.columns)), ...detailOf(state, size)]
}

/** Between the list and the details, with the session that they are about. */
function ruleOf(state: TopState, columns: number): string {
  const id = selectedSession(state)
  const session = state.sessions.find((one) => one.id === id)
  const text = session && columns > 8 ? fit(` ${whereText(session)} `, columns - 4) : ''
  return `──${text}${'─'.repeat(Math.max(0, columns - 2 - widthOf(text)))}`
}

function listOf(state: TopState, size: Size, now: number, color: Color): string[] {
  const all = rowsOf(state)
  const height = listRows(size)
  const at = Math.max(
    0,
    all.findIndex((row) => idOf(row) === state.selected),
  )
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), all.length - height))
  const lines = all.slice(top, top + height).map((row) => rowOf(row, state, size.columns, now, color))
  if (all.length === 0)
    lines.push(fit(state.filter === '' ? 'No sessions.' : 'Nothing matches the filter.', size.columns))
  while (lines.length < height) lines.push('')
  return lines
}

function rowOf(row: Row, state: TopState, columns: number, now: number, color: Color): string {
  const isSelected = idOf(row) === state.selected
  const [what, title, cwd, since] = partsOf(row, state)
  const right = ` ${fit(oneLine(basename(cwd)), Math.floor(columns / 5))} ${ageOf(now - Date.parse(since)).padStart(4)}`
  const width = Math.min(STATE_COLUMNS, Math.floor(columns / 4))
  const left = `${isSelected ? '>' : ' '} ${padTo(fit(what, width), width)} `
  const room = Math.max(4, columns - widthOf(left) - widthOf(right))
  const line = fit(`${left}${padTo(fit(oneLine(title), room), room)}${right}`, columns)
  if (isSelected) return color.inverse(line)
  return row.kind === 'request' ? color.yellow(line) : line
}

function partsOf(row: Row, { sessions, answering }: TopState): [string, string, string, string] {
  if (row.kind === 'session') {
    const { cwd, updatedAt } = row.session
    return [conditionText(row.session), titleOf(row.session), cwd, updatedAt]
  }
  const { id, kind, title, plan, form, sessionId, requestedAt } = row.request
  const cwd = sessions.find((session) => session.id === sessionId)?.cwd ?? ''
  const what = form ? 'Form' : plan === null ? (kind === 'question' ? 'Question' : 'Permission') : 'Plan'
  return [`? ${answering.has(id) ? 'Answering' : what}`, title, cwd, requestedAt]
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}

function detailOf(state: TopState, size: Size): string[] {
  const height = detailRows(size)
  const request = state.requests.find(({ id }) => id === state.selected)
  if (request) {
    const lines = requestLines(request, size.columns)
    const isCut = lines.length > height
    return isCut ? [...lines.slice(0, height - 1), fit('… (a shows all of it)', size.columns)] : lines
  }
  const session = state.sessions.find(({ id }) => id === state.selected)
  return session ? tailLines(state, session.id, size.columns).slice(-height) : []
}

function tailLines({ tail }: TopState, sessionId: string, columns: number): string[] {
  return tail?.sessionId === sessionId ? wrapText(tail.text, columns) : ['Loading …']
}

function footerOf(state: TopState, columns: number, color: Color): string {
  if (state.message !== '') return color.yellow(fit(oneLine(state.message), columns))
  return promptOf(state, columns) ?? color.dim(fit(hintOf(state), columns))
}

function hintOf({ mode, requests }: TopState): string {
  switch (mode.kind) {
    case 'review':
      return reviewHint(requests.find(({ id }) => id === mode.requestId))
    case 'decline':
      return 'Decline this form? y yes · n no'
    case 'session':
      return 'j k scroll · Esc back'
    case 'help':
      return 'Press any key.'
    default:
      return 'j k move · Enter open · a allow/answer · d deny · / filter · ? keys · q quit'
  }
}

function reviewHint(request: InboxRequest | undefined): string {
  const scroll = 'n back · j k space scroll'
  if (request?.form?.url !== undefined) return `Opened it, and done? y yes · d decline · ${scroll}`
  if (request?.form) return `Accept? y yes · d decline · ${scroll}`
  if (request?.plan) return `Approve? y yes · e and accept edits · d send back · ${scroll}`
  return `Allow this? y yes${request?.grant ? ' · s for this session' : ''} · d deny · ${scroll}`
}

/** The line that is typed, with its end visible. */
function promptOf({ mode, requests }: TopState, columns: number): string | null {
  const line = (whole: string, text: string) => {
    const label = fit(whole, Math.max(1, columns - 8))
    const room = Math.max(4, columns - widthOf(label) - 1)
    return `${label}${wrapText(text, room).at(-1) ?? ''}_`
  }
  if (mode.kind === 'filter') return line('/', mode.text)
  if (mode.kind === 'reason') return line('Reason (Enter denies, Esc cancels): ', mode.text)
  if (mode.kind === 'form') {
    const form = requests.find(({ id }) => id === mode.requestId)?.form
    const field = form ? formFields(form)[mode.at] : undefined
    return line(field ? oneLine(fieldLabel(field)).concat(' ') : '', mode.text)
  }
  if (mode.kind !== 'answer') return null
  const questions = requests.find(({ id }) => id === mode.requestId)?.questions ?? []
  const question = questions.find((one) => !(one.question in mode.answers))
  const label = fit(oneLine(question?.question ?? ''), Math.floor(columns / 2))
  return line(`${label} (number or text): `, mode.text)
}

const HELP = [
  '',
  '  j k ↓ ↑     next, previous request or session',
  '  Enter       open the conversation',
  '  a           allow a request, answer a question, fill in a form',
  '  s           allow similar calls for the rest of the session',
  '  d           deny, with a reason; decline a form',
  '  e           how to allow with another input',
  '  /           filter by name and folder; Esc clears it',
  '  ?           this help',
  '  q Ctrl-C    quit; sessions keep running',
  '',
  '  A call that deletes, sends, runs unknown code or does not fit the',
  '  screen is shown completely, and allowed with y at its end.',
]
