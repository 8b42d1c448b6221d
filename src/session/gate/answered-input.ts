/** A user's answers, in the input format of the tool that asks questions. */

import type { Answers, Notes, Question } from '../../protocol/value.js'

interface Annotation {
  notes?: string
  preview?: string
  unanswered?: 'skipped'
}

/** Several choices reach the model as one text; an unanswered question is reported as skipped. */
export function answeredInput(
  questions: readonly Question[],
  answers: Answers,
  notes: Notes,
): { answers: Record<string, string>; annotations?: Record<string, Annotation> } {
  const texts = Object.entries(answers).map(([question, answer]): [string, string] => [
    question,
    Array.isArray(answer) ? answer.join(', ') : answer,
  ])
  const annotations = questions.flatMap((question): [string, Annotation][] => {
    const annotation = annotate(question, answers[question.question], notes[question.question])
    return Object.keys(annotation).length > 0 ? [[question.question, annotation]] : []
  })
  return {
    answers: Object.fromEntries(texts),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  }
}

function annotate(
  { options = [] }: Question,
  answer: Answers[string] | undefined,
  notes: string | undefined,
): Annotation {
  if (answer === undefined) return { unanswered: 'skipped' }
  const preview = options.find(({ label }) => label === answer)?.preview
  return { ...(notes !== undefined && { notes }), ...(preview !== undefined && { preview }) }
}
