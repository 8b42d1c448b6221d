/** `signalbox undo`: shows what would be undone, asks, and undoes it. */

import type { Client } from '../../../client/client.js'
import type { Change, UndoChanges, UndoResult } from '../../../protocol/change/diff.js'
import { HubError } from '../../../protocol/error.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import type { Terminal } from '../../output/terminal.js'
import { findSessionId, theOnly } from '../../short-id.js'
import { printStat, readTurn } from './diff.js'

export interface UndoOptions extends CommandOptions {
  turn?: string
  call?: string
  agent?: string
  change?: string[]
  to?: string
  all?: boolean
  redo?: boolean
  file?: string[]
  background?: boolean
  preview?: boolean
  interrupt?: boolean
  yes?: boolean
}

export async function undo(id: string, options: UndoOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  const body = await bodyOf(client, params.id, options)
  const { undo: planned } = await client.undoChanges({ params, body: { ...body, preview: true } })
  if (options.preview || (planned.conflicts.length > 0 && !options.json))
    return show(planned, options, terminal)
  if (!options.yes && !options.json && terminal.isInteractive) {
    show(planned, options, terminal)
    if (planned.diff.totals.files === 0) return EXIT.done
    const question = `Undo ${planned.diff.totals.files === 1 ? 'this file' : `these ${planned.diff.totals.files} files`}? [y] yes  [n] no: `
    const key = await terminal.key(question, ['y', 'n'], new AbortController().signal)
    if (key !== 'y') throw new HubError('request_invalid', 'Nothing was changed.')
  }
  const interrupt = options.interrupt ? { interrupt: true } : {}
  const { undo: done } = await client.undoChanges({ params, body: { ...body, ...interrupt } })
  if (options.json) terminal.json({ undo: done })
  else if (done.changeId === null) terminal.note('Nothing to undo: the files are as they were.')
  else {
    const { files, insertions, deletions } = done.diff.totals
    terminal.note(
      `${options.redo ? 'Redone' : 'Undone'}: ${files} files, +${insertions} -${deletions} lines. Redo with "signalbox undo ${params.id.slice(-6)} --redo".`,
    )
  }
  return EXIT.done
}

async function bodyOf(client: Client, sessionId: string, options: UndoOptions): Promise<UndoChanges> {
  const { turn, call, agent, change, to, all, redo, file, background } = options
  const changes = redo || change ? await changeIds(client, sessionId, options) : undefined
  return {
    ...(turn !== undefined && { turn: readTurn(turn) }),
    ...(call !== undefined && { call }),
    ...(agent !== undefined && { agent }),
    ...(changes && { changes }),
    ...(to !== undefined && { to }),
    ...(all && { all: true as const }),
    ...(file && { files: file }),
    ...(background && { background }),
  }
}

/** Shortened ids of changes; with `--redo` the newest undo that is in force. */
async function changeIds(
  client: Client,
  sessionId: string,
  { change = [], redo }: UndoOptions,
): Promise<string[]> {
  const { changes } = await client.listChanges({ params: { id: sessionId } })
  if (redo) {
    const last = changes.findLast((one: Change) => one.source === 'undo' && !one.isUndone && !one.isRedo)
    if (last) return [last.id]
    throw new HubError('change_not_found', 'There is no undo to redo.')
  }
  return change.map((short) =>
    theOnly(
      short,
      changes,
      () =>
        new HubError(
          'change_not_found',
          `No change ${short}. List them with "signalbox diff ${sessionId} --changes".`,
        ),
    ),
  )
}

/** A conflict is a failure: nothing was, or would be, written. */
function show(planned: UndoResult, { json }: UndoOptions, terminal: Terminal): number {
  const { diff, conflicts, adminFiles, left } = planned
  const code = conflicts.length > 0 ? EXIT.failed : EXIT.done
  if (json) {
    terminal.json({ undo: planned })
    return code
  }
  if (diff.files.length > 0) printStat(diff.files, diff.totals, terminal)
  else if (conflicts.length === 0) terminal.note('Nothing to undo: the files are as they were.')
  if (conflicts.length > 0) {
    terminal.note(terminal.color.red('Conflicts: someone changed these since. Nothing was written.'))
    for (const { path, reason } of conflicts) terminal.note(`  ${path} (${reason})`)
    terminal.note('Undo other files alone with --file, or edit these by hand.')
  }
  if (adminFiles.length > 0) terminal.note(`Only an admin can undo: ${adminFiles.join(', ')}.`)
  if (left.length > 0)
    terminal.note(
      `Left alone: ${left.length} changes made while only background commands ran. Include them with --background.`,
    )
  return code
}
