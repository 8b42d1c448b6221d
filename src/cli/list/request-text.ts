/** A request in the list of the inbox: what is asked, by which session, and the most serious finding. */

import { formFields } from '../../protocol/form/form-field.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { markdownText } from '../output/markdown.js'
import { color } from '../output/style.js'
import { oneLine, shortPath } from '../output/text.js'
import { ageText, type TimeOptions, timeText } from '../output/time.js'
import { fit, widthOf } from '../output/width.js'
import { titleOf } from './session-text.js'

export function requestTitle({ title, plan }: InboxRequest): string {
  return plan === null ? oneLine(title) : 'Plan ready for review'
}

/** The policy puts the most serious finding first; the others are counted. */
export function findingText({ reason, severity, grant }: InboxRequest): string {
  const more = (grant?.findings?.length ?? 1) - 1
  return `${severity === 'destructive' ? 'Destructive: ' : ''}${oneLine(reason)}${more > 0 ? ` (${more} more: policy explain)` : ''}`
}

export type RequestSession = Pick<Session, 'id' | 'title' | 'name' | 'cwd' | 'branch'>

export interface RequestTextOptions extends TimeOptions {
  width: number | null
  now: number
  /** Of the request, as short as it is unique. */
  shortId: string
  session: RequestSession | undefined
}

export function requestText(request: InboxRequest, options: RequestTextOptions): string {
  const { width, now, shortId, session } = options
  const age = ageText(request.requestedAt, now)
  const title = requestTitle(request)
  const room = width === null ? widthOf(title) : width - widthOf(shortId) - age.length - 4
  const lines = [
    ...(session ? [color.dim(whereText(session))] : []),
    findingText(request),
    ...(request.isParked ? ['The agent is not running; an answer restarts it.'] : []),
    ...(request.isOnlyInTerminal ? ['Can be answered only in its terminal.'] : []),
    ...detailsOf(request, options),
  ]
  const indented = lines.flatMap((text) => text.split('\n')).map((line) => `    ${line}\n`)
  return `${shortId}  ${color.bold(fit(title, room))}  ${color.dim(age)}\n${indented.join('')}`
}

/** `Fix the login · ~/shop · main`. */
export function whereText(session: RequestSession): string {
  const { cwd, branch } = session
  return [titleOf(session), shortPath(oneLine(cwd)), oneLine(branch ?? '')].filter(Boolean).join(' · ')
}

function detailsOf(
  { plan, questions, form, expiresAt }: InboxRequest,
  { width, utc = false }: RequestTextOptions,
): string[] {
  return [
    ...(expiresAt === null ? [] : [`Denied automatically at ${timeText(expiresAt, { utc })}.`]),
    ...(plan === null ? [] : [markdownText(plan, width && width - 4)]),
    ...questions.flatMap(({ question, options = [] }, index) => [
      ...(index > 0 ? [oneLine(question)] : []),
      ...options.map(({ label }, place) => `${place + 1}  ${oneLine(label)}`),
    ]),
    ...(form?.url === undefined ? [] : [form.url]),
    ...(form
      ? formFields(form).map((field) => `  ${field.name}${field.isRequired ? '' : ' (optional)'}`)
      : []),
  ]
}
