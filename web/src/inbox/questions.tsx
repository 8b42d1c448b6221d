import { type FormEvent, useId, useState } from 'react'
import type { Answers, Question } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { useHasRole } from '../store/state.js'
import { printable } from '../ui/printable.js'
import type { AnswerProps } from './request-card.js'
import { RequestFrame } from './request-frame.js'

/** Selected options and free text for one question. */
interface Choice {
  picked: readonly string[]
  custom: string
}

const NO_CHOICE: Choice = { picked: [], custom: '' }

export function Questions({ request, isLocked, onAnswer }: AnswerProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const answers = readAnswers(request.questions, choices)
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (answers && !isLocked) onAnswer({ answers })
  }
  return (
    <RequestFrame
      actions={
        <div className="choices">
          <button type="submit" form={id} className="primary" disabled={isLocked || !answers}>
            {t('answer')}
          </button>
          <button
            type="button"
            className="danger"
            data-act="deny"
            disabled={isLocked}
            onClick={() => onAnswer({ decision: 'deny', message: t('question.declined') })}
          >
            {t('question.decline')}
          </button>
        </div>
      }
    >
      <form id={id} className="questions" onSubmit={submit}>
        <h2 className="request-title">
          <span className="status-dot question" aria-hidden="true" />
          {t('question.title')}
        </h2>
        {request.questions.map((question) => (
          <QuestionField
            key={question.question}
            question={question}
            choice={readChoice(choices, question.question)}
            onChange={(choice) => setChoices({ ...choices, [question.question]: choice })}
          />
        ))}
      </form>
    </RequestFrame>
  )
}

/** A question may be named like a property of Object.prototype, such as `constructor`. */
function readChoice(choices: Readonly<Record<string, Choice>>, question: string): Choice {
  return Object.hasOwn(choices, question) ? (choices[question] ?? NO_CHOICE) : NO_CHOICE
}

/** Null until all questions are answered. */
export function readAnswers(
  questions: readonly Question[],
  choices: Readonly<Record<string, Choice>>,
): Answers | null {
  const answers: Answers = {}
  for (const { question, multiSelect = false } of questions) {
    const { picked, custom } = readChoice(choices, question)
    const values = custom.trim() === '' ? picked : multiSelect ? [...picked, custom.trim()] : [custom.trim()]
    const [first] = values
    if (first === undefined) return null
    answers[question] = multiSelect ? [...values] : first
  }
  return answers
}

interface QuestionFieldProps {
  question: Question
  choice: Choice
  onChange(choice: Choice): void
}

function QuestionField({ question, choice, onChange }: QuestionFieldProps) {
  const { question: text, options = [], multiSelect = false } = question
  const id = useId()
  const mayAct = useHasRole('operator')
  if (!mayAct) return <QuestionText question={question} />
  const pick = (label: string) => {
    const { picked } = choice
    if (!multiSelect) return onChange({ picked: [label], custom: '' })
    onChange({
      ...choice,
      picked: picked.includes(label) ? picked.filter((item) => item !== label) : [...picked, label],
    })
  }
  return (
    <fieldset>
      <legend>{printable(text)}</legend>
      {options.map(({ label, description, preview }) => (
        <label key={label} className="option">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={id}
            checked={choice.picked.includes(label)}
            onChange={() => pick(label)}
          />
          <span>
            {printable(label)}
            {description !== undefined && <small>{printable(description)}</small>}
            {preview !== undefined && <pre>{printable(preview)}</pre>}
          </span>
        </label>
      ))}
      <input
        aria-label={t('question.custom')}
        placeholder={t('question.custom')}
        value={choice.custom}
        onChange={(event) =>
          onChange({ picked: multiSelect ? choice.picked : [], custom: event.target.value })
        }
      />
    </fieldset>
  )
}

/** For viewers, who may read a question and not answer it. */
function QuestionText({ question }: { question: Question }) {
  const { question: text, options = [] } = question
  return (
    <div className="field">
      <strong>{printable(text)}</strong>
      <ul className="option-list">
        {options.map(({ label, description }) => (
          <li key={label}>
            {printable(label)}
            {description !== undefined && <small className="muted"> {printable(description)}</small>}
          </li>
        ))}
      </ul>
    </div>
  )
}
