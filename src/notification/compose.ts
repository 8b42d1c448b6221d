/** Composes messages: the redacted text about matters, and the answers that the recipient is offered. */

import { isForAdmins } from '../hub/admin-only.js'
import { printable } from '../lib/text/printable.js'
import { cutText } from '../lib/text/truncate.js'
import { type Language, type May, mayAtLeast } from '../protocol/notification/user.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Session } from '../protocol/session.js'
import { isAnswered } from '../protocol/value.js'
import { needsConfirmation } from '../protocol/view/mild-request.js'
import { sessionName } from '../protocol/view/session-name.js'
import type { OfferedDecision } from './answer-token.js'
import type { MessageAction, OutgoingMessage, SettledMessage } from './channel/port.js'
import type { Matter } from './matter.js'
import { isoTime, type OutboxRow } from './outbox-row.js'
import { say } from './text/text.js'

/** A matter with what is known about it now. */
export interface Subject {
  matter: Matter
  session: Session
  request: InboxRequest | null
}

export interface Audience {
  language: Language
  may: May
  isTitlesOnly: boolean
  /** The address of the dashboard, without a slash at its end. */
  base: string
}

export interface ComposeDeps {
  redact(text: string): Promise<string>
  issue(request: InboxRequest, decisions: readonly OfferedDecision[]): Promise<string>
}

const MAX_TITLE = 120
const MAX_BODY = 1_500
const MAX_LINES = 8

export async function composeMessage(
  row: OutboxRow,
  subjects: readonly Subject[],
  audience: Audience,
  deps: ComposeDeps,
): Promise<OutgoingMessage | null> {
  const [first] = subjects
  if (!first) return null
  const { language } = audience
  const isSingle = subjects.length === 1
  const content = isSingle ? await single(first, audience, deps) : await several(subjects, audience, deps)
  const title = row.isReminder ? say(language, 'reminder', { title: content.title }) : content.title
  const name = (await clean(sessionName(first.session), MAX_TITLE, deps)).text
  return {
    id: row.id,
    at: isoTime(row.createdAt),
    kind: first.matter.kind,
    isReminder: row.isReminder,
    severity: isSingle ? (first.request?.severity ?? null) : null,
    title,
    body: content.body,
    url: `${audience.base}${pathOf(subjects)}`,
    count: subjects.length,
    session: isSingle
      ? { id: first.session.id, name, cwd: audience.isTitlesOnly ? '' : await deps.redact(first.session.cwd) }
      : null,
    requestId: isSingle ? first.matter.requestId : null,
    language,
    actions: content.actions,
    answerUrl: content.answerUrl,
    mayReply: isSingle && mayAtLeast(audience.may, 'message') && first.session.kind === 'managed',
    openLabel: say(language, 'open'),
  }
}

interface Content {
  title: string
  body: string
  actions: MessageAction[]
  answerUrl: string | null
}

async function single(
  { matter, session, request }: Subject,
  audience: Audience,
  deps: ComposeDeps,
): Promise<Content> {
  const { language, base, isTitlesOnly } = audience
  const name = (await clean(sessionName(session), MAX_TITLE, deps)).text
  const title = say(language, titleKey(matter, request), { name })
  if (isTitlesOnly) return { title, body: '', actions: [], answerUrl: null }
  const { text: body, isWhole } = await clean(
    detailOf({ matter, session, request }, language),
    MAX_BODY,
    deps,
  )
  const decisions = request ? offered(request, session, audience, isWhole) : []
  if (!request || decisions.length === 0) return { title, body, actions: [], answerUrl: null }
  const token = await deps.issue(request, decisions)
  const actions = decisions.map((decision) => ({
    decision,
    label: say(language, decision),
    token,
    url: `${base}/api/v1/answers`,
  }))
  return { title, body, actions, answerUrl: `${base}/answer#${token}` }
}

/**
 * The decisions that a button may carry. Allow only for what is shown whole and needs no second look; everything else is
 * allowed on the page.
 */
function offered(
  request: InboxRequest,
  session: Session,
  { may }: Pick<Audience, 'may'>,
  isWhole: boolean,
): OfferedDecision[] {
  const isAnswerable =
    request.kind === 'permission' && !request.isOnlyInTerminal && !isForAdmins(request, session)
  if (!isAnswerable || !mayAtLeast(may, 'answer')) return []
  return isWhole && request.severity !== 'destructive' && !needsConfirmation(request)
    ? ['allow', 'deny']
    : ['deny']
}

async function several(
  subjects: readonly Subject[],
  audience: Audience,
  deps: ComposeDeps,
): Promise<Content> {
  const { language, isTitlesOnly } = audience
  const count = (kind: Matter['kind']) => subjects.filter(({ matter }) => matter.kind === kind).length
  const waiting = count('needs_you')
  const title =
    waiting === subjects.length
      ? say(language, 'waiting', { count: subjects.length })
      : say(language, 'several', {
          count: subjects.length,
          waiting,
          failed: count('failed'),
          finished: count('finished'),
        })
  if (isTitlesOnly) return { title, body: '', actions: [], answerUrl: null }
  const lines = await Promise.all(
    subjects.slice(0, MAX_LINES).map(async ({ matter, session, request }) => {
      const name = sessionName(session)
      const what = request?.title ?? say(language, titleKey(matter, request), { name: '' }).trim()
      return (await clean(`${name}: ${what}`.replaceAll(/\s+/g, ' '), 200, deps)).text
    }),
  )
  const rest = subjects.length - lines.length
  if (rest > 0) lines.push(say(language, 'more', { count: rest }))
  return { title, body: lines.join('\n'), actions: [], answerUrl: null }
}

function titleKey(
  { kind }: Matter,
  request: InboxRequest | null,
): 'permission' | 'question' | 'plan' | 'failed' | 'finished' {
  if (kind !== 'needs_you') return kind
  if (request?.kind === 'question') return 'question'
  return request && request.plan !== null ? 'plan' : 'permission'
}

/** The call as it would run, or the question, the plan, the error, the last words. */
function detailOf({ matter, session, request }: Subject, language: Language): string {
  if (!request) return matter.text ?? ''
  const inTerminal = request.isOnlyInTerminal ? [say(language, 'in_terminal')] : []
  if (request.plan !== null) return [request.plan, ...inTerminal].join('\n')
  if (request.kind === 'question') return [...questionLines(request), ...inTerminal].join('\n')
  return [callText(request, session), request.reason, ...inTerminal].join('\n')
}

function questionLines({ questions, title }: InboxRequest): string[] {
  if (questions.length === 0) return [title]
  return questions.flatMap(({ question, options = [] }) => [
    question,
    ...options.map(({ label }) => `- ${label}`),
  ])
}

/** The whole call: its main part in a line, then its other fields. Only the agent's own description is left out. */
function callText({ toolName, input }: InboxRequest, { cwd }: Session): string {
  const fields = typeof input === 'object' && input !== null ? { ...input } : { input }
  const { command, file_path: file, description: _, ...others } = fields as Record<string, unknown>
  const main = [command, file].find((value) => typeof value === 'string')
  const first = typeof main === 'string' ? `${toolName}: ${withoutFolder(main, cwd)}` : toolName
  const rest = Object.entries({ ...others, ...(main === command ? { file_path: file } : {}) })
  return [
    first,
    ...rest.flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
    ),
  ].join('\n')
}

function withoutFolder(text: string, cwd: string): string {
  return text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text
}

/** Redacted as a whole, then shortened: half a secret would not be recognised. */
async function clean(
  text: string,
  max: number,
  { redact }: ComposeDeps,
): Promise<{ text: string; isWhole: boolean }> {
  const shown = printable(text.trim())
  const safe = await redact(shown)
  const short = cutText(safe, max)
  return {
    text: short === safe ? safe : `${short}…`,
    isWhole: safe === shown && short === safe && shown === text.trim(),
  }
}

function pathOf([first, ...others]: readonly Subject[]): string {
  if (!first || others.length > 0) return '/inbox'
  const { requestId, sessionId } = first.matter
  return requestId === null ? `/sessions/${sessionId}` : `/requests/${requestId}`
}

/** The replacement for a message whose matters are settled. */
export async function composeSettled(
  row: OutboxRow,
  { session, request }: { session: Session | null; request: InboxRequest | null },
  language: Language,
  deps: Pick<ComposeDeps, 'redact'>,
): Promise<SettledMessage> {
  const name =
    session === null ? 'Signalbox' : cutText(await deps.redact(printable(sessionName(session))), MAX_TITLE)
  return {
    id: row.settled?.notificationId ?? row.id,
    receipt: row.receipt,
    title: name,
    text: resolutionText(request, language),
    language,
    requestId: row.settled?.requestId ?? null,
  }
}

function resolutionText(request: InboxRequest | null, language: Language): string {
  const { resolution, kind } = request ?? {}
  if (!resolution) return say(language, 'settled')
  if (resolution.by === 'timeout') return say(language, 'timed_out')
  if (!isAnswered(resolution.by) && resolution.by !== 'terminal') return say(language, 'settled')
  const who = printable(resolution.who ?? 'terminal')
  if (kind === 'question' || resolution.decision === undefined) return say(language, 'answered_by', { who })
  return say(language, resolution.decision === 'deny' ? 'denied_by' : 'allowed_by', { who })
}
