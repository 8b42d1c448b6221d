/** A request as text: complete, since what is allowed must have been seen. */

import { formFields } from '../../protocol/form/form-field.js'
import { grantText } from '../../protocol/policy/grant-text.js'
import type { InboxRequest } from '../../protocol/request.js'

/**
 * Reasons for which one key is enough. Whitelist: every other reason, also one that this version does not know, needs a
 * confirmation.
 */
const MILD: ReadonlySet<string> = new Set([
  'file.write.plain',
  'file.make.plain',
  'file.copy.plain',
  'file.look.outside',
  'file.read.outside',
  'git.commit',
  'git.fetch',
  'git.stage',
  'program.unlisted',
  'program.workspace',
  'tool.fetch',
])

export function needsConfirmation({ reasonParts = [], freerMode, plan }: InboxRequest): boolean {
  if (freerMode !== undefined || plan !== null || reasonParts.length === 0) return true
  return !reasonParts.every(({ code }) => MILD.has(code))
}

export function requestText(request: InboxRequest): string {
  const { reason, plan, grant, freerMode, isParked, isOnlyInTerminal, expiresAt } = request
  return [
    ...(request.kind === 'question' ? [request.title] : [callText(request)]),
    '',
    reason,
    ...(freerMode === undefined ? [] : [`Starts an agent in the mode ${freerMode}.`]),
    ...(grant ? [`For this session: ${grantText(grant)}.`] : []),
    ...(isParked ? ['The agent is not running; an answer restarts it.'] : []),
    ...(isOnlyInTerminal ? ['Can be answered only in its terminal.'] : []),
    ...(expiresAt === null ? [] : [`Denied automatically at ${expiresAt}.`]),
    ...(plan === null ? [] : ['', plan]),
    ...questionLines(request),
  ].join('\n')
}

/** A command is shown as it is; another input as JSON. */
function callText({ toolName, input, title, plan }: InboxRequest): string {
  if (plan !== null) return title
  const fields = typeof input === 'object' && input !== null ? { ...input } : { input }
  const { command, ...others } = fields as Record<string, unknown>
  if (typeof command !== 'string') return `${toolName}\n${JSON.stringify(fields, null, 2)}`
  const more = Object.keys(others).length > 0 ? `\n${JSON.stringify(others, null, 2)}` : ''
  return `${toolName}: ${command}${more}`
}

function questionLines({ questions, form }: InboxRequest): string[] {
  return [
    ...questions.flatMap(({ question, options = [] }, index) => [
      ...(index > 0 ? ['', question] : []),
      ...options.map(
        ({ label, description }, number) =>
          `  ${number + 1}  ${label}${description ? `: ${description}` : ''}`,
      ),
    ]),
    ...(form
      ? [...(form.url === undefined ? [] : [form.url]), ...formFields(form).map(({ name }) => `  ${name}`)]
      : []),
  ]
}
