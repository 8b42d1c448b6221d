import { useState } from 'react'
import { type Answer, HubError, type Question, type Request } from '../../src/protocol/index.js'
import { client, forgetRequest } from './store.js'

/** What an agent waits for, with the ways to answer it. */
export function RequestCard({ request }: { request: Request }) {
  const [problem, setProblem] = useState('')
  const [isSent, setIsSent] = useState(false)

  const answer = async (body: Answer) => {
    setIsSent(true)
    try {
      await client.answerRequest({ params: { id: request.id }, body })
    } catch (error) {
      if (error instanceof HubError && error.code === 'request_already_resolved')
        return forgetRequest(request.id)
      setProblem((error as Error).message)
      setIsSent(false)
    }
  }

  return (
    <article className="request card" aria-label={request.title}>
      {request.kind === 'permission' ? (
        <Permission request={request} isSent={isSent} answer={(body) => void answer(body)} />
      ) : (
        <Questions request={request} isSent={isSent} answer={(body) => void answer(body)} />
      )}
      {problem && <p role="alert">{problem}</p>}
    </article>
  )
}

interface PartProps {
  request: Request
  isSent: boolean
  answer(body: Answer): void
}

function Permission({ request, isSent, answer }: PartProps) {
  const [message, setMessage] = useState('')
  return (
    <>
      <h3>{request.title}</h3>
      <p className="why">{request.reason}</p>
      <CallInput input={request.input} />
      <div className="choices">
        <button
          type="button"
          className="allow"
          disabled={isSent}
          onClick={() => answer({ decision: 'allow' })}
        >
          Allow
        </button>
        <button type="button" disabled={isSent} onClick={() => answer({ decision: 'allowAll' })}>
          Allow all of these
        </button>
        <span className="denial">
          <input
            aria-label="Why not (the agent is told)"
            placeholder="Why not (the agent is told)"
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
          <button
            type="button"
            className="deny"
            disabled={isSent}
            onClick={() => answer({ decision: 'deny', ...(message !== '' && { message }) })}
          >
            Deny
          </button>
        </span>
      </div>
    </>
  )
}

/** The fields of a call, each as it is: long texts keep their lines. */
export function CallInput({ input }: { input: unknown }) {
  if (typeof input !== 'object' || input === null) return null
  return (
    <dl className="input">
      {Object.entries(input).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Questions({ request, isSent, answer }: PartProps) {
  const [answers, setAnswers] = useState<Record<string, string | string[]>>({})
  const isComplete = request.questions.every(({ question }) => (answers[question]?.length ?? 0) > 0)
  return (
    <>
      {request.questions.map((question) => (
        <QuestionPart
          key={question.question}
          question={question}
          value={answers[question.question] ?? ''}
          onChange={(value) => setAnswers({ ...answers, [question.question]: value })}
        />
      ))}
      <div className="choices">
        <button
          type="button"
          className="allow"
          disabled={isSent || !isComplete}
          onClick={() => answer({ answers })}
        >
          Answer
        </button>
      </div>
    </>
  )
}

interface QuestionProps {
  question: Question
  value: string | string[]
  onChange(value: string | string[]): void
}

function QuestionPart({
  question: { question, options = [], multiSelect = false },
  value,
  onChange,
}: QuestionProps) {
  const chosen = Array.isArray(value) ? value : [value]
  const pick = (label: string) => {
    if (!multiSelect) return onChange(label)
    onChange(
      chosen.includes(label) ? chosen.filter((item) => item !== label) : [...chosen.filter(Boolean), label],
    )
  }
  const isOwn = typeof value === 'string' && value !== '' && !options.some((option) => option.label === value)
  return (
    <fieldset>
      <legend>{question}</legend>
      {options.map(({ label, description }) => (
        <label key={label} className="option">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={question}
            checked={chosen.includes(label)}
            onChange={() => pick(label)}
          />
          <span>
            {label}
            {description && <small>{description}</small>}
          </span>
        </label>
      ))}
      <input
        aria-label="Or in your own words"
        placeholder="Or in your own words"
        value={isOwn ? value : ''}
        onChange={(event) => onChange(event.target.value)}
      />
    </fieldset>
  )
}
