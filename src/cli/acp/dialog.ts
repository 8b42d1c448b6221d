/**
 * A request as a dialog of an editor, and the answer that was chosen there. Null: the dialog was closed, which decides
 * nothing. Rejects if the editor has no dialog for it.
 */

import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { printable } from '../../lib/text/printable.js'
import { HubError } from '../../protocol/error.js'
import { grantText } from '../../protocol/policy/grant-text.js'
import type { Answer, InboxRequest } from '../../protocol/request.js'
import type { Question } from '../../protocol/value.js'
import { answersIn, formOf, isFilled, schemaOf } from './question-form.js'
import { isShownWhole, MAX_TEXT, showCall, textContent } from './tool-call.js'

/** The dialogs of an editor. */
export interface Editor {
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>
  /** Null: this editor has no forms. */
  form: ((request: CreateElicitationRequest) => Promise<CreateElicitationResponse>) | null
}

type Option = PermissionOption & { answer: Answer }

export async function askEditor(request: InboxRequest, cwd: string, editor: Editor): Promise<Answer | null> {
  const { form, questions, kind } = request
  if (form?.url !== undefined) return choose(request, cwd, editor, visitOptions(), [form.url])
  if (form) return askForm(request, editor.form)
  if (kind === 'permission' && !isWhole(request)) throw tooLong()
  if (kind === 'permission') return choose(request, cwd, editor, permissionOptions(request), [request.reason])
  if (editor.form) return askQuestions(request, editor.form)
  if (questions.some(({ options = [] }) => options.length === 0)) throw noDialog()
  return chooseAnswers(request, cwd, editor)
}

function noDialog(): HubError {
  return new HubError(
    'answer_invalid',
    'This editor cannot ask for the answer. Answer in the dashboard, or with "signalbox answer".',
  )
}

/** Whether the editor shows all of the call that it may allow. */
function isWhole({ toolName, input, plan }: InboxRequest): boolean {
  return isShownWhole(toolName, input) && (plan?.length ?? 0) <= MAX_TEXT
}

function tooLong(): HubError {
  return new HubError(
    'answer_invalid',
    'The call is too long to be shown here. Answer in the dashboard, or with "signalbox answer".',
  )
}

function permissionOptions({ plan, grant }: InboxRequest): Option[] {
  if (plan !== null)
    return [
      option('allow', 'Approve the plan', 'allow_once', { decision: 'allow' }),
      option('accept-edits', 'Approve and accept edits', 'allow_once', {
        decision: 'allow',
        mode: 'acceptEdits',
      }),
      option('deny', 'Keep planning', 'reject_once', { decision: 'deny' }),
    ]
  const session = grant && `Allow for this session: ${printable(grantText(grant))}`
  return [
    option('allow', 'Allow', 'allow_once', { decision: 'allow' }),
    ...(session ? [option('allow-session', session, 'allow_always', { decision: 'allowAll' })] : []),
    option('deny', 'Deny', 'reject_once', { decision: 'deny' }),
  ]
}

function visitOptions(): Option[] {
  return [
    option('done', 'Done', 'allow_once', { action: 'accept' }),
    option('decline', 'Decline', 'reject_once', { action: 'decline' }),
  ]
}

async function choose(
  request: InboxRequest,
  cwd: string,
  editor: Editor,
  options: readonly Option[],
  texts: readonly string[],
): Promise<Answer | null> {
  const { id, sessionId, toolUseId, toolName, input, title, plan } = request
  const shown = showCall(toolName, input, cwd)
  const { outcome } = await editor.permission({
    sessionId,
    toolCall: {
      toolCallId: toolUseId ?? id,
      status: 'pending',
      ...shown,
      title: printable(title),
      content: [
        ...(plan === null ? shown.content : [textContent(plan)]),
        ...texts.filter((text) => text !== '').map(textContent),
      ],
    },
    options: options.map(({ optionId, name, kind }) => ({ optionId, name, kind })),
  })
  // A dialog that was closed decides nothing.
  if (outcome.outcome !== 'selected') return null
  const { optionId } = outcome
  return options.find((one) => one.optionId === optionId)?.answer ?? null
}

/** One dialog after the other: an editor without forms has only buttons. */
async function chooseAnswers(request: InboxRequest, cwd: string, editor: Editor): Promise<Answer | null> {
  const answers: Record<string, string> = {}
  for (const question of request.questions) {
    const options = (question.options ?? []).map(({ label }, index) =>
      option(`answer-${index}`, printable(label), 'allow_once', { answers: { [question.question]: label } }),
    )
    const answer = await choose(
      { ...request, title: question.question },
      cwd,
      editor,
      [...options, option('decline', 'Decline to answer', 'reject_once', { decision: 'deny' })],
      [optionText(question)],
    )
    if (answer === null || !('answers' in answer)) return answer
    Object.assign(answers, answer.answers)
  }
  return { answers }
}

function optionText({ options = [] }: Question): string {
  return options
    .filter(({ description }) => description)
    .map(({ label, description }) => `- ${label}: ${description}`)
    .join('\n')
}

async function askQuestions(request: InboxRequest, ask: NonNullable<Editor['form']>): Promise<Answer | null> {
  const { sessionId, toolUseId, questions, title } = request
  const reply = await ask({
    mode: 'form',
    sessionId,
    ...(toolUseId !== null && { toolCallId: toolUseId }),
    message: printable(title),
    requestedSchema: schemaOf(questions),
  })
  if (reply.action === 'decline') return { decision: 'deny' }
  const answers = isFilled(reply) ? answersIn(questions, reply.content) : null
  return answers && { answers }
}

async function askForm(request: InboxRequest, ask: Editor['form']): Promise<Answer | null> {
  const { sessionId, toolUseId, form, title } = request
  const requestedSchema = form && formOf(form)
  if (!requestedSchema || !ask) throw noDialog()
  const reply = await ask({
    mode: 'form',
    sessionId,
    ...(toolUseId !== null && { toolCallId: toolUseId }),
    message: printable(`${form.server}: ${title}`),
    requestedSchema,
  })
  if (reply.action === 'decline') return { action: 'decline' }
  return isFilled(reply) ? { action: 'accept', content: { ...reply.content } } : null
}

function option(optionId: string, name: string, kind: PermissionOption['kind'], answer: Answer): Option {
  return { optionId, name, kind, answer }
}
