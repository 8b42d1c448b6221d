/** Prints lines of logs: fitted to a terminal, with whole times into a pipe, or as JSON. Secrets are redacted once more. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { redactJson } from '../../lib/redact/redact-json.js'
import { createSecretSet, type SecretSet } from '../../lib/redact/secret-set.js'
import { secretsIn } from '../../lib/redact/secret-value.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'
import { clockText, type TimeOptions, timeText } from '../output/time.js'
import { fit, hang } from '../output/width.js'
import { isLogEntry, isSdkLine, parseLine } from './log-line.js'
import { entryText, sdkText } from './log-text.js'

export class LogPrinter {
  readonly #options: TimeOptions & { json?: boolean }
  readonly #terminal: Terminal
  readonly #secrets: SecretSet
  #day = ''
  #before = ''

  constructor(home: string, options: TimeOptions & { json?: boolean }, terminal: Terminal) {
    this.#options = options
    this.#terminal = terminal
    // A secret may have become known after the line was written.
    this.#secrets = createSecretSet([...secretsIn(process.env), ...tokenOf(home)])
  }

  /** `from`: the time and the program, for a line that has none itself. */
  print(line: string, from?: { time: string; source: string }): void {
    const value = redactJson(parseLine(line) ?? line, (text) => this.#secrets.redact(text))
    if (this.#options.json) {
      const whole = typeof value === 'string' ? { ...from, text: value } : value
      this.#terminal.json(whole)
    } else if (isLogEntry(value)) this.#entry(value.time, value.level === 'error', entryText(value))
    else if (isSdkLine(value)) this.#message(value.timestamp, sdkText(value))
    else this.#entry(from?.time ?? null, false, [from?.source, textOf(value)].filter(Boolean).join(': '))
  }

  note(text: string, isWanted: boolean): void {
    if (isWanted && !this.#options.json) this.#terminal.note(this.#terminal.color.dim(text))
  }

  /** Whole: the end of an error may be its cause. */
  #entry(time: string | null, isError: boolean, text: string): void {
    const { color, columns } = this.#terminal
    const mark = isError ? color.red('error') : color.dim('info ')
    this.#terminal.out(`${hang(`${color.dim(this.#time(time))}  ${mark}  `, text, columns)}\n`)
  }

  /** In one line: a session has many of them. One kind in a row that says nothing more, such as of progress, is shown once. */
  #message(time: string, text: string): void {
    const { color, columns } = this.#terminal
    const isRepeated = text === this.#before && !text.includes(':')
    this.#before = text
    if (isRepeated) return
    const before = `${this.#time(time)}  `
    const shown = columns === null ? text : fit(text, Math.max(20, columns - before.length))
    this.#terminal.out(`${color.dim(before)}${shown}\n`)
  }

  /** On a terminal the day stands above its lines. */
  #time(time: string | null): string {
    const { columns, color } = this.#terminal
    if (time === null) return ''
    if (columns === null) return timeText(time, this.#options)
    const day = timeText(time, this.#options, 'day')
    if (day !== this.#day) this.#terminal.out(`${color.bold(day)}\n`)
    this.#day = day
    return clockText(time, this.#options)
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return oneLine(value)
  // The line that `start --json` prints when it is ready.
  if (typeof value === 'object' && value !== null && 'event' in value && value.event === 'ready')
    return `Ready${'url' in value && typeof value.url === 'string' ? `: ${oneLine(value.url)}` : ''}`
  return oneLine(JSON.stringify(value))
}

function tokenOf(home: string): string[] {
  try {
    return [readFileSync(join(home, 'token'), 'utf8').trim()]
  } catch {
    return []
  }
}
