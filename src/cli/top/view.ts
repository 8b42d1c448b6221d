/** The screen of `top` as lines: a plain function of the state and the size. */

import { basename } from 'node:path'
import type { createColors } from 'picocolors'
import type { InboxRequest } from '../../protocol/request.js'
import { stateOf } from '../command/session/session.js'
import { oneLine } from '../output/text.js'
import { fit, widthOf } from '../output/width.js'
import type { Page } from './press.js'
import { requestText } from './request-text.js'
import { idOf, type Row, rowsOf, type TopState } from './state.js'
import { wrapText } from './wrap.js'

export interface Size {
  columns: number
  rows: number
}

type Color = ReturnType<typeof createColors>

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
  const text = `Signalbox · ${requests.length} waiting · ${sessions.length} sessions${filtered}`
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
  if (mode.kind === 'review') {
    const request = state.requests.find(({ id }) => id === mode.requestId)
    return request ? requestLines(request, size.columns).slice(mode.top, mode.top + rows) : []
  }
  const list = listOf(state, size, now, color)
  return [...list, color.dim('─'.repeat(size.columns)), ...detailOf(state, size)]
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
  const left = `${isSelected ? '>' : ' '} ${padTo(fit(what, 12), 12)} `
  const room = Math.max(4, columns - widthOf(left) - widthOf(right))
  const line = fit(`${left}${padTo(fit(oneLine(title), room), room)}${right}`, columns)
  if (isSelected) return color.inverse(line)
  return row.kind === 'request' ? color.yellow(line) : line
}

function partsOf(row: Row, { sessions, answering }: TopState): [string, string, string, string] {
  if (row.kind === 'session') {
    const { name, cwd, updatedAt } = row.session
    return [stateOf(row.session), name ?? row.session.id, cwd, updatedAt]
  }
  const { id, kind, title, plan, sessionId, requestedAt } = row.request
  const cwd = sessions.find((session) => session.id === sessionId)?.cwd ?? ''
  const what = answering.has(id) ? 'answering' : plan === null ? kind : 'plan'
  return [`? ${what}`, title, cwd, requestedAt]
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

function hintOf({ mode }: TopState): string {
  switch (mode.kind) {
    case 'review':
      return 'Allow this? y yes · n no · d deny with a reason · j k space scroll'
    case 'session':
      return 'j k scroll · Esc back'
    case 'help':
      return 'Press any key.'
    default:
      return 'j k move · Enter open · a allow/answer · d deny · / filter · ? keys · q quit'
  }
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
  '  a           allow a request, or answer a question',
  '  d           deny, with a reason',
  '  e           how to allow with another input',
  '  /           filter by name and folder; Esc clears it',
  '  ?           this help',
  '  q Ctrl-C    quit; sessions keep running',
  '',
  '  A call that deletes, sends, runs unknown code or does not fit the',
  '  screen is shown completely, and allowed with y at its end.',
]
