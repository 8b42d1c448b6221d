/** The list of sessions: one line each, and a second one for what a session waits for. */

import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { color } from '../output/style.js'
import { table } from '../output/table.js'
import { money, oneLine, shortPath } from '../output/text.js'
import { ageText } from '../output/time.js'
import { fit } from '../output/width.js'
import { shortIds } from '../short-id.js'
import { findingText, requestTitle } from './request-text.js'
import { conditionText, titleOf } from './session-text.js'

export interface SessionList {
  sessions: readonly Session[]
  /** Requests that the sessions wait for. */
  requests: readonly InboxRequest[]
  /** There are more. */
  isCut: boolean
}

const COLUMNS = [
  { title: 'id' },
  { title: 'state', minWidth: 15 },
  { title: 'age', align: 'right', dropsAt: 1 },
  { title: 'title', maxWidth: 48, minWidth: 12 },
  { title: 'folder', minWidth: 8, maxWidth: 40, keepsEnd: true, dropsAt: 2 },
  { title: 'branch', minWidth: 6, maxWidth: 24, dropsAt: 3 },
  { title: 'cost', align: 'right', dropsAt: 4 },
] as const

/** Into a pipe ids are whole, for programs. */
export function sessionTable(
  { sessions, requests }: Pick<SessionList, 'sessions' | 'requests'>,
  { width, now }: { width: number | null; now: number },
): string {
  const short = width === null ? null : shortIds(sessions.map(({ id }) => id))
  const rows = sessions.map((session) => [
    short?.get(session.id) ?? session.id,
    conditionText(session),
    ageText(session.updatedAt, now),
    titleOf(session),
    shortPath(oneLine(session.cwd)),
    oneLine(session.branch ?? ''),
    session.costUsd > 0 ? money(session.costUsd) : '',
  ])
  const [head = '', ...lines] = table(COLUMNS, rows, { width }).trimEnd().split('\n')
  const waiting = new Map(requests.map((request) => [request.id, request]))
  const shown = lines.flatMap((line, index) => {
    const wanted = (sessions[index]?.pendingRequests ?? []).flatMap((id) => waiting.get(id) ?? [])
    return [line, ...wanted.map((request) => color.yellow(waitText(request, width)))]
  })
  return `${[color.dim(head), ...shown].join('\n')}\n`
}

function waitText(request: InboxRequest, width: number | null): string {
  const text = `  ${requestTitle(request)} – ${findingText(request)}`
  return width === null ? text : fit(text, width)
}
