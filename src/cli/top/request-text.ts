/** A request as text: complete, since what is allowed must have been seen. */

import { type FormField, formFields } from '../../protocol/form/form-field.js'
import { grantText } from '../../protocol/policy/grant-text.js'
import type { InboxRequest } from '../../protocol/request.js'
import { fieldHint } from '../ask/read-field.js'
import { timeText } from '../output/time.js'

export function requestText(request: InboxRequest): string {
  const { reason, plan, grant, freerMode, isParked, isOnlyInTerminal, expiresAt } = request
  return [
    ...(request.kind === 'question' ? [titleText(request)] : [callText(request)]),
    '',
    reason,
    ...(freerMode === undefined ? [] : [`Starts an agent in the mode ${freerMode}.`]),
    ...(grant ? [`For this session: ${grantText(grant)}.`] : []),
    ...(isParked ? ['The agent is not running; an answer restarts it.'] : []),
    ...(isOnlyInTerminal ? ['Can be answered only in its terminal.'] : []),
    ...(expiresAt === null ? [] : [`Denied automatically at ${timeText(expiresAt, {})}.`]),
    ...(plan === null ? [] : ['', plan]),
    ...questionLines(request),
  ].join('\n')
}

function titleText({ title, form }: InboxRequest): string {
  return form ? `${form.server}: ${title}` : title
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
    ...(form ? [...(form.url === undefined ? [] : [form.url]), ...formFields(form).map(fieldText)] : []),
  ]
}

function fieldText(field: FormField): string {
  const hint = fieldHint(field)
  return `  ${field.title}${hint === '' ? '' : ` (${hint})`}`
}
