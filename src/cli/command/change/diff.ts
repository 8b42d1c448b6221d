/** `signalbox diff`: what a session changed, as a patch or as a list. */

import type { ChangedFile, ChangeTotals } from '../../../protocol/change/change.js'
import type { Change } from '../../../protocol/change/diff.js'
import { patchOf } from '../../../protocol/change/patch-text.js'
import { HubError } from '../../../protocol/error.js'
import { type CommandOptions, clientFor, readChoice } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { findSessionId } from '../../short-id.js'

export interface DiffOptions extends CommandOptions {
  turn?: string
  call?: string
  agent?: string
  change?: string
  file?: string
  against?: string
  stat?: boolean
  changes?: boolean
}

export async function diff(id: string, options: DiffOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  if (options.changes) {
    const reply = await client.listChanges({ params })
    if (options.json) terminal.json(reply)
    else if (reply.changes.length === 0)
      terminal.note(reply.recording.reason ?? 'The session has changed no files.')
    else terminal.out(changeTable(reply.changes, terminal.columns))
    return EXIT.done
  }
  const reply = await client.getDiff({ params, query: queryOf(options) })
  if (options.json) terminal.json(reply)
  else if (reply.diff.files.length === 0) terminal.note('No changes.')
  else if (options.stat) printStat(reply.diff.files, reply.diff.totals, terminal)
  else for (const file of reply.diff.files) terminal.out(coloured(patchOf(file), terminal))
  return EXIT.done
}

function queryOf({ turn, call, agent, change, file, against }: DiffOptions) {
  return {
    ...(turn !== undefined && { turn: readTurn(turn) }),
    ...(call !== undefined && { call }),
    ...(agent !== undefined && { agent }),
    ...(change !== undefined && { change }),
    ...(file !== undefined && { file }),
    ...(against !== undefined && { against: readChoice('--against', against, ['start', 'head'] as const) }),
  }
}

/** `last`, or a number; negative from the end. */
export function readTurn(text: string): number {
  const turn = text === 'last' ? -1 : Number(text)
  if (Number.isInteger(turn) && turn !== 0) return turn
  throw new HubError('request_invalid', '--turn takes the number of a turn, from 1, or "last".')
}

function coloured(patch: string, { color }: Terminal): string {
  const lines = patch.split('\n').map((line) => {
    if (line.startsWith('@@')) return color.cyan(line)
    if (line.startsWith('diff ')) return color.bold(line)
    if (/^(?:\+\+\+|---) /.test(line)) return line
    if (line.startsWith('+')) return color.green(line)
    return line.startsWith('-') ? color.red(line) : line
  })
  return lines.join('\n')
}

export function printStat(files: readonly ChangedFile[], totals: ChangeTotals, terminal: Terminal): void {
  const { color } = terminal
  terminal.out(
    table(
      [{ title: 'file', minWidth: 12, wraps: true }, { title: 'change' }, { title: 'lines' }],
      files.map(({ path, from, change, kind, insertions, deletions }) => [
        from === undefined ? path : `${from} -> ${path}`,
        kind === 'folder' ? `folder ${change}` : change,
        insertions === null || deletions === null
          ? 'binary'
          : `${color.green(`+${insertions}`)} ${color.red(`-${deletions}`)}`,
      ]),
      { width: terminal.columns },
    ),
  )
  const more = totals.files > files.length ? ` (${totals.files - files.length} are not listed)` : ''
  terminal.note(
    `Files: ${totals.files}${more}. Lines added: ${totals.insertions}, removed: ${totals.deletions}.`,
  )
}

/** One row for each recorded change, newest last. */
function changeTable(changes: readonly Change[], width: number | null): string {
  return table(
    [
      { title: 'change' },
      { title: 'turn' },
      { title: 'by' },
      { title: 'files', minWidth: 12, wraps: true },
      { title: 'lines' },
    ],
    changes.map(({ id, turn, source, agentId, by, isRedo, files, totals, isUndone }) => [
      `${id.slice(-6)}${isUndone ? ' (undone)' : ''}`,
      turn === null ? '' : String(turn),
      source === 'undo'
        ? `${isRedo ? 'redo' : 'undo'} by ${by?.who ?? ''}`
        : source === 'call'
          ? (agentId ?? 'agent')
          : source,
      files.map(({ path }) => path).join(', '),
      `+${totals.insertions} -${totals.deletions}`,
    ]),
    { width },
  )
}
