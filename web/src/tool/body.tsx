/** Renders input and result of each kind of tool. Loaded lazily when the first card is opened. */

import { type ReactNode, useMemo, useState } from 'react'
import { count, t } from '../i18n/i18n.js'
import { Picture } from '../ui/picture.js'
import { printable } from '../ui/printable.js'
import { RichText } from '../ui/rich-text.js'
import { parseAnsi } from './ansi.js'
import {
  changesOf,
  exitCode,
  fieldsOf,
  listField,
  relativePath,
  resultText,
  textField,
  toolKind,
} from './call.js'
import { DiffView } from './diff-view.js'
import { FileText } from './file-text.js'
import { resultImages } from './result-image.js'
import { WholeText } from './whole-text.js'

interface BodyProps {
  cwd: string
  name: string
  input: unknown
  state: string
  result: unknown
  error: string | null
}

export function ToolBody(props: BodyProps) {
  const { name, input, result, error, cwd } = props
  switch (toolKind(name)) {
    case 'shell':
      return <ShellCall {...props} />
    case 'read':
      return (
        <>
          {error === null ? <ReadText input={input} result={result} /> : <Failure text={error} />}
          <Images addresses={resultImages(result)} />
        </>
      )
    case 'edit':
      return (
        <>
          <Changes name={name} input={input} result={result} cwd={cwd} />
          {error !== null && <Failure text={error} />}
        </>
      )
    case 'find':
      return (
        <>
          <Input input={input} />
          {error === null ? <Output text={foundText(result)} /> : <Failure text={error} />}
        </>
      )
    case 'todo':
      return <Todos todos={listField(input, 'todos')} />
    case 'web':
      return (
        <>
          <Input input={input} />
          {error === null ? <RichText text={resultText(result)} /> : <Failure text={error} />}
        </>
      )
    case 'plan':
      return <RichText text={textField(input, 'plan') || t('plan.empty')} />
    case 'question':
      return <AnswerList input={input} result={result} error={error} />
    case 'agent':
      return (
        <>
          <Quote title={t('tool.prompt')} text={textField(input, 'prompt') ?? ''} />
          {error === null ? (
            result !== null && <Quote title={t('tool.result')} text={agentText(result)} />
          ) : (
            <Failure text={error} />
          )}
        </>
      )
    case 'skill':
    case 'mcp':
    case 'other':
      return (
        <>
          <Input input={input} />
          {error === null ? (
            result !== null && <Output text={resultText(result)} />
          ) : (
            <Failure text={error} />
          )}
          <Images addresses={resultImages(result)} />
        </>
      )
  }
}

function ShellCall({ input, state, result, error }: BodyProps) {
  const code = exitCode(state, error)
  const images = resultImages(result)
  const out = error ?? (images.length > 0 ? '' : (textField(result, 'stdout') ?? resultText(result)))
  const problems = error === null ? textField(result, 'stderr') : null
  return (
    <div className="shell">
      <pre className="command">
        <span aria-hidden="true">$ </span>
        {printable(textField(input, 'command') ?? '')}
      </pre>
      {textField(input, 'description') !== null && (
        <p className="muted">{printable(textField(input, 'description') ?? '')}</p>
      )}
      {out !== '' && (
        <Output text={error === null ? out : out.replace(/^(?:Error: )?Exit code -?\d+\n?/, '')} />
      )}
      {problems !== null && problems !== '' && <Output text={problems} isError />}
      <Images addresses={images} />
      {code !== null && <p className={code === 0 ? 'exit' : 'exit failed'}>{t('tool.exit', { code })}</p>}
    </div>
  )
}

const MAX_LINES = 200
/** A longer output does not fit its box. */
const MAX_VISIBLE_LINES = 16

/** Shows the end of a long output first: errors and results are usually there. */
export function Output({ text, isError = false }: { text: string; isError?: boolean }) {
  const [isWhole, setIsWhole] = useState(false)
  const lines = useMemo(() => text.split('\n'), [text])
  const hidden = isWhole ? 0 : Math.max(0, lines.length - MAX_LINES)
  const shown = hidden > 0 ? lines.slice(-MAX_LINES).join('\n') : text
  const parts = useMemo(() => parseAnsi(shown.slice(-400_000)), [shown])
  if (text === '') return null
  return (
    <>
      {hidden > 0 && (
        <button type="button" className="plain" onClick={() => setIsWhole(true)}>
          {count('earlier_lines', hidden)}
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <pre className={isError ? 'output failed' : 'output'} tabIndex={0}>
        {parts.map((part, index) =>
          part.style === '' ? (
            printable(part.text)
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
            <span key={index} className={part.style}>
              {printable(part.text)}
            </span>
          ),
        )}
      </pre>
      {lines.length > MAX_VISIBLE_LINES && <WholeText text={text} />}
    </>
  )
}

function Failure({ text }: { text: string }) {
  return <Output text={text} isError />
}

function ReadText({ input, result }: { input: unknown; result: unknown }) {
  const file = fieldsOf(result)['file']
  const text = textField(file, 'content')
  if (text === null) return <Output text={resultText(result)} />
  const start = Number(fieldsOf(file)['startLine'] ?? 1)
  return <FileText path={textField(input, 'file_path') ?? ''} text={text} start={start} />
}

interface ChangesProps {
  name: string
  input: unknown
  result: unknown
  cwd: string
}

export function Changes({ name, input, result, cwd }: ChangesProps) {
  return changesOf(name, input, result).map(({ path, ...change }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
    <DiffView key={index} name={relativePath(path, cwd)} {...change} />
  ))
}

function foundText(result: unknown): string {
  const names = listField(result, 'filenames').filter((name) => typeof name === 'string')
  const content = textField(result, 'content')
  return content !== null && content !== ''
    ? content
    : names.length > 0
      ? names.join('\n')
      : resultText(result)
}

function Todos({ todos }: { todos: readonly unknown[] }) {
  return (
    <ul className="todos">
      {todos.map((todo, index) => {
        const state = textField(todo, 'status') ?? 'pending'
        const text = textField(todo, state === 'in_progress' ? 'activeForm' : 'content', 'content') ?? ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole.
          <li key={index} className={state}>
            <span aria-hidden="true">
              {state === 'completed' ? '●' : state === 'in_progress' ? '◐' : '○'}
            </span>
            <span>
              {printable(text)}
              <span className="visually-hidden"> ({todoState(state)})</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function todoState(state: string): string {
  if (state === 'completed') return t('todo.completed')
  return state === 'in_progress' ? t('todo.in_progress') : t('todo.pending')
}

function AnswerList({ input, result, error }: { input: unknown; result: unknown; error: string | null }) {
  const answers = fieldsOf(fieldsOf(result)['answers'])
  return (
    <dl className="fields">
      {listField(input, 'questions').map((question, index) => {
        const text = textField(question, 'question') ?? ''
        const answer = answers[text]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
          <div key={index}>
            <dt>{printable(text)}</dt>
            <dd>
              {printable(
                typeof answer === 'string'
                  ? answer
                  : Array.isArray(answer)
                    ? answer.join(', ')
                    : (error ?? '–'),
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

const SUMMARY_START = '<tools-used-before-summary>'
const SUMMARY_END = '</tools-used-before-summary>'

function agentText(result: unknown): string {
  const text = resultText(result)
  const start = text.indexOf(SUMMARY_START)
  const end = start < 0 ? -1 : text.indexOf(SUMMARY_END, start)
  return end < 0 ? text : text.slice(0, start) + text.slice(end + SUMMARY_END.length).trimStart()
}

function Quote({ title, text }: { title: string; text: string }): ReactNode {
  if (text === '') return null
  return (
    <div className="quote">
      <h2>{title}</h2>
      <RichText text={text} />
    </div>
  )
}

function Images({ addresses }: { addresses: readonly string[] }) {
  return addresses.map((address, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
    <Picture key={index} address={address} label={t('tool.image')} />
  ))
}

/** The input fields of a call. Long texts keep their line breaks. */
export function Input({ input }: { input: unknown }) {
  const fields = Object.entries(fieldsOf(input))
  if (fields.length === 0) return null
  return (
    <dl className="fields">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{printable(name)}</dt>
          <dd>
            <pre>{printable(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>
          </dd>
        </div>
      ))}
    </dl>
  )
}
