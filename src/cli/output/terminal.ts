/** The terminal as the commands see it: the one way to write to it, and to ask the user at it. */

import type { ReadStream } from 'node:tty'
import { printable } from '../../lib/text/printable.js'
import { createProgress } from './progress.js'
import { type Colors, color, hasColor, renderStyles, withoutStyles } from './style.js'
import { fitEnd, widthOf, wrap } from './width.js'

export interface Terminal {
  /** Results: what a program that calls this would read. Whole lines, fitted to the terminal. */
  out(text: string): void
  /** Results that come piece by piece. */
  stream(text: string): void
  /** Results that replace the ones before on a terminal; in a pipe they follow. */
  redraw(text: string): void
  /** Everything around them. */
  note(text: string): void
  json(value: unknown): void
  /** Shows what the command is doing, if it takes longer than a second. The result ends it. */
  busy(label: string): () => void
  /** Columns for results; null where they do not go to a terminal. */
  readonly columns: number | null
  /** Whether a user can be prompted here. */
  readonly isInteractive: boolean
  /** For text that `out`, `stream`, `note`, `ask` or `key` writes: each stream decides whether the colours are shown. */
  readonly color: Colors
  /** Asks for a line; null when there is no more input. Rejects when `signal` aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | null>
  /** Asks for one key of these; null when there is no more input. Rejects when `signal` aborts. */
  key(question: string, keys: readonly string[], signal: AbortSignal): Promise<string | null>
  /** A line below all other output, as for text that is being typed. Null removes it. */
  line(text: string | null): void
  /** Raw keys, for a command that has the terminal to itself. The result ends the reading. After Ctrl-Z `onResume` is called. */
  keys(onInput: (text: string) => void, onResume: () => void): Promise<() => void>
}

/** The part of a process that a terminal needs. */
export interface TerminalProcess {
  readonly stdin: ReadStream
  readonly stdout: Writer
  readonly stderr: Writer
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Writer {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

const CLEAR_LINE = '\r\u001b[2K'
const NOT_PENDING = 'The request is no longer pending.'
/** A terminal that does not say its width, or says nonsense. */
const DEFAULT_COLUMNS = 80
const MIN_COLUMNS = 20

export function createTerminal(process: TerminalProcess): Terminal {
  const { stdout, stderr, env } = process
  const columnsOf = ({ isTTY, columns = 0 }: Writer) =>
    isTTY ? (columns >= MIN_COLUMNS ? columns : DEFAULT_COLUMNS) : null
  const isDumb = env['TERM'] === 'dumb'
  const progress = createProgress(
    stderr.isTTY && !isDumb ? (text) => void stderr.write(text) : null,
    () => columnsOf(stderr) ?? DEFAULT_COLUMNS,
  )
  /** Text of agents reaches a terminal only with its control characters made visible; a pipe gets results unchanged. */
  const put = (stream: Writer, text: string, isWrapped: boolean) => {
    progress.clear()
    if (bottom !== null) stderr.write(CLEAR_LINE)
    if (open !== null) stderr.write(isDumb ? '\n' : clearedQuestion(open))
    const columns = columnsOf(stream)
    const fitted = isWrapped && columns !== null ? wrap(text, columns) : text
    const isShown = stream.isTTY === true || stream === stderr
    stream.write(renderStyles(fitted, hasColor(stream, env), isShown ? printable : undefined))
    if (bottom !== null && text.endsWith('\n')) drawBottom()
    if (open !== null && text.endsWith('\n')) drawQuestion()
  }
  /** The question that waits for a key, as it is drawn. Other output stands above it. */
  let open: string | null = null
  const drawQuestion = () => stderr.write(renderStyles(open ?? '', hasColor(stderr, env), printable))
  let bottom: string | null = null
  const drawBottom = () => {
    if (bottom === null) return
    const room = (columnsOf(stderr) ?? DEFAULT_COLUMNS) - 1
    // The end of a long line is where the user types.
    const shown = widthOf(bottom) <= room ? bottom : fitEnd(withoutStyles(bottom), room)
    stderr.write(CLEAR_LINE + renderStyles(shown, hasColor(stderr, env), printable))
  }
  /** Lines that the next drawing replaces. */
  let drawn = 0
  let drawnAt = ''
  return {
    out: (text) => put(stdout, text, true),
    stream: (text) => put(stdout, text, false),
    redraw(text) {
      const rows = stdout.isTTY ? Math.max(2, (stdout.rows ?? 24) - 1) : Number.POSITIVE_INFINITY
      const all = text.trimEnd().split('\n')
      const lines = all.length <= rows ? all : [...all.slice(0, rows - 1), moreLines(all.length - rows + 1)]
      const place = `${columnsOf(stdout)}×${stdout.rows}`
      // After a change of the size the lines before are not where they were.
      const clear = place === drawnAt ? `\u001b[${drawn}A\r\u001b[J` : '\u001b[H\u001b[2J'
      if (drawn > 0 && stdout.isTTY) stdout.write(clear)
      put(stdout, `${lines.join('\n')}\n`, false)
      drawn = lines.length
      drawnAt = place
    },
    note: (text) => put(stderr, `${text}\n`, true),
    json: (value) => {
      progress.clear()
      stdout.write(`${JSON.stringify(value)}\n`)
    },
    busy: progress.busy,
    get columns() {
      return columnsOf(stdout)
    },
    // Lazy: reading `process.stdin` opens it, and most commands do not prompt.
    get isInteractive() {
      return process.stdin.isTTY && stderr.isTTY === true
    },
    color,
    async ask(question, signal) {
      const { createInterface } = await import('node:readline')
      // Race: another client may have answered meanwhile.
      if (signal.aborted) throw new Error(NOT_PENDING)
      progress.end()
      const lines = createInterface({
        input: process.stdin,
        // Cast: `stderr` of a process, of which only the writing is described here.
        output: stderr as unknown as NodeJS.WritableStream,
      })
      return new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          settle()
          lines.close()
        }
        // While a line is being read the terminal does not send the signal; the command must hear of it all the same.
        lines.on('SIGINT', () => globalThis.process.emit('SIGINT'))
        lines.on('close', () => resolve(null))
        signal.addEventListener('abort', () => end(() => reject(new Error(NOT_PENDING))), {
          once: true,
        })
        const shown = renderStyles(question, hasColor(stderr, env), printable)
        lines.question(shown, (line) => end(() => resolve(line.trim())))
      })
    },
    async key(question, keys, signal) {
      const { readKey } = await import('./keyboard.js')
      if (signal.aborted) throw new Error(NOT_PENDING)
      progress.end()
      const { stdin } = process
      const prompt = () => {
        // The cursor needs a column, too: the rows are counted.
        open = `${wrap(question.trimEnd(), (columnsOf(stderr) ?? DEFAULT_COLUMNS) - 2)} `
        drawQuestion()
      }
      prompt()
      const onOther = () => put(stderr, `Press ${orKeys(keys)}.\n`, true)
      try {
        const key = await readKey({ stdin, keys, signal, onOther, onResume: prompt })
        stderr.write(`${key ?? ''}\n`)
        return key
      } catch (error) {
        stderr.write('\n')
        throw error
      } finally {
        open = null
      }
    },
    line(text) {
      if (text === null && bottom !== null) stderr.write(CLEAR_LINE)
      bottom = text
      drawBottom()
    },
    async keys(onInput, onResume) {
      const { readKeys } = await import('./keyboard.js')
      progress.end()
      return readKeys(process.stdin, onInput, onResume)
    },
  }
}

/** From the end of a question to its start, which may be rows above. */
function clearedQuestion(question: string): string {
  const above = question.split('\n').length - 1
  return `${above > 0 ? `\u001b[${above}A` : ''}\r\u001b[J`
}

function moreLines(count: number): string {
  return color.dim(`… ${count} more lines: the terminal is too small.`)
}

function orKeys(keys: readonly string[]): string {
  return [keys.slice(0, -1).join(', '), ...keys.slice(-1)].filter(Boolean).join(' or ')
}
