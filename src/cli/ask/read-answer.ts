/** From the values of `signalbox answer` to the answer, whatever was asked. */

import { decisions, formActions } from '../../protocol/choice.js'
import { HubError } from '../../protocol/error.js'
import type { FormContent } from '../../protocol/form/form.js'
import { formFields } from '../../protocol/form/form-field.js'
import type { Answer, InboxRequest } from '../../protocol/request.js'
import { readChosen } from './read-choice.js'
import { readField } from './read-field.js'

/**
 * A question: one value for each part, the number or the text of an option, several with commas. A form: `name=value` for each field, or `accept`,
 * `decline`, `cancel`. A permission or a plan: `allow`, `allowAll` or `deny`, and a message to the agent.
 */
export function readAnswer(
  request: InboxRequest,
  values: readonly string[],
  notes: readonly string[],
): Answer {
  if (request.form) return formAnswer(request.form, values)
  if (request.kind === 'permission') return decisionAnswer(values)
  const { questions } = request
  if (values.length !== questions.length) {
    throw new HubError(
      'answer_invalid',
      questions.length === 1
        ? 'The request has one question. Give one value.'
        : `The request has ${questions.length} questions. Give one value for each.`,
    )
  }
  const answers = questions.map(
    (question, index) => [question.question, readChosen(question, values[index] ?? '')] as const,
  )
  const noted = questions.flatMap(({ question }, index) => {
    const note = notes[index]
    return note === undefined ? [] : [[question, note] as const]
  })
  return {
    answers: Object.fromEntries(answers),
    ...(noted.length > 0 && { notes: Object.fromEntries(noted) }),
  }
}

function decisionAnswer([first, ...words]: readonly string[]): Answer {
  const decision = decisions.find((known) => known === first)
  if (decision) return { decision, ...(words.length > 0 && { message: words.join(' ') }) }
  throw new HubError('answer_invalid', 'The request is a permission. Answer with allow, allowAll or deny.')
}

function formAnswer(form: NonNullable<InboxRequest['form']>, values: readonly string[]): Answer {
  const action = formActions.find((known) => known === values[0])
  if (values.length === 1 && action) return { action }
  const fields = formFields(form)
  const content: FormContent = {}
  for (const value of values) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? []
    const field = fields.find((candidate) => candidate.name === name)
    if (!field) {
      const names = fields.map((candidate) => `${candidate.name}=…`).join(' ')
      throw new HubError('answer_invalid', `Give the fields as ${names || 'accept, decline or cancel'}.`)
    }
    content[name] = readField(field, text)
  }
  return { action: 'accept', content }
}
