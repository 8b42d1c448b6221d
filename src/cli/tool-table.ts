/** Tool calls of a session as a table: what each went through, and how long that took. */

import { cutText } from '../lib/text/truncate.js'
import { describeCall } from '../protocol/view/describe.js'
import { type Stage, type ToolLife, timeIn } from '../protocol/view/tool-life.js'

const HEAD = ['at', 'call', 'policy', 'waited', 'ran', 'hooks', 'outcome', 'by']
const MAX_CALL = 60
const MAX_BY = 60

export function toolTable(lives: readonly ToolLife[], cwd: string): string {
  const rows = [HEAD, ...lives.flatMap((life) => rowsOf(life, cwd))]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => pad(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** The call, and below it one line for each hook. */
function rowsOf(life: ToolLife, cwd: string): string[][] {
  const { requestedAt, name, input, outcome, by, stages } = life
  const wait = stages.find(({ kind }) => kind === 'wait')
  return [
    [
      requestedAt.slice(11, 23),
      cut(describeCall(name, input, cwd), MAX_CALL),
      shown(life, 'judge'),
      shown(life, 'wait'),
      shown(life, 'run'),
      shown(life, 'hook'),
      outcome ?? (wait?.durationMs === null ? 'waiting' : 'running'),
      cut(by ?? '', MAX_BY),
    ],
    ...stages.filter(({ kind }) => kind === 'hook').map(hookRow),
  ]
}

function hookRow({ startedAt, label, durationMs, outcome }: Stage): string[] {
  const call = `  hook ${cut(label ?? '', MAX_CALL - 7)}`
  return [
    startedAt.slice(11, 23),
    call,
    '',
    '',
    '',
    durationMs === null ? '…' : time(durationMs),
    outcome ?? '',
    '',
  ]
}

function shown(life: ToolLife, kind: Stage['kind']): string {
  const ms = timeIn(life, kind)
  if (ms !== null) return time(ms)
  return life.stages.some((stage) => stage.kind === kind) ? '…' : '-'
}

function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

function cut(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > max ? `${cutText(line, max - 1)}…` : line
}

/** Characters of East Asia take two places. */
function width(text: string): number {
  let places = 0
  for (const character of text)
    places += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(character) ? 2 : 1
  return places
}

function pad(text: string, places: number): string {
  return text + ' '.repeat(Math.max(0, places - width(text)))
}
