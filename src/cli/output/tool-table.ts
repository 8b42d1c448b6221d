/** Tool calls of a session as a table: what each went through, and how long that took. */

import { describeCall } from '../../protocol/view/describe.js'
import { type Stage, type ToolLife, timeIn } from '../../protocol/view/tool-life.js'
import { table } from './table.js'
import { oneLine } from './text.js'
import { clockText, type TimeOptions } from './time.js'

const COLUMNS = [
  { title: 'at', dropsAt: 3 },
  { title: 'call', maxWidth: 60, minWidth: 16 },
  { title: 'policy', dropsAt: 4 },
  { title: 'waited' },
  { title: 'ran' },
  { title: 'hooks', dropsAt: 5 },
  { title: 'outcome' },
  { title: 'by', maxWidth: 60, minWidth: 8 },
] as const

export interface ToolTableOptions extends TimeOptions {
  width: number | null
}

export function toolTable(lives: readonly ToolLife[], cwd: string, options: ToolTableOptions): string {
  const rows = lives.flatMap((life) => rowsOf(life, cwd, options))
  return table(COLUMNS, rows, options)
}

/** The call, and below it one line for each hook. */
function rowsOf(life: ToolLife, cwd: string, options: TimeOptions): string[][] {
  const { requestedAt, name, input, outcome, by, stages } = life
  const wait = stages.find(({ kind }) => kind === 'wait')
  return [
    [
      clockText(requestedAt, options, 'millisecond'),
      oneLine(describeCall(name, input, cwd)),
      shown(life, 'judge'),
      shown(life, 'wait'),
      shown(life, 'run'),
      shown(life, 'hook'),
      outcome ?? (wait?.durationMs === null ? 'waiting' : 'running'),
      oneLine(by ?? ''),
    ],
    ...stages.filter(({ kind }) => kind === 'hook').map((stage) => hookRow(stage, options)),
  ]
}

function hookRow({ startedAt, label, durationMs, outcome }: Stage, options: TimeOptions): string[] {
  return [
    clockText(startedAt, options, 'millisecond'),
    `  hook ${oneLine(label ?? '')}`,
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
