/** `text_edit_tool`: replaces exact pieces of a text file; all edits or none, the file whole at every moment. */

import type { Stats } from 'node:fs'
import { z } from 'zod'
import { Sequencer } from '../../lib/sequencer.js'
import { applyEdits, type Edit } from '../file/edit.js'
import { type DecodedText, decode, encode } from '../file/encoding.js'
import { askGuard, type FileGuard } from '../file/guard.js'
import { type HeldFolder, holdParent } from '../file/held-folder.js'
import { locate, type Place } from '../file/place.js'
import { replaceFile } from '../file/replace-file.js'
import { defineTool, type Tool, ToolFailure } from '../tool.js'

const MAX_BYTES = 32 * 1024 * 1024
const MAX_LINES_TOLD = 20

const Input = z.object({
  path: z.string().describe('File path to edit'),
  edits: z
    .array(
      z.object({
        old_text: z.string().describe('Text to replace'),
        new_text: z.string().describe('New text'),
        all_occurrences: z.boolean().optional().describe('Replace all occurrences'),
      }),
    )
    .describe('Array of edit operations'),
})

export function createTextEditTool(guard: FileGuard): Tool {
  /** Calls for one file wait for each other: otherwise the second would undo the first. */
  const sequencer = new Sequencer()
  return defineTool({
    name: 'text_edit_tool',
    description:
      'Edits a text file of the workspace. Each edit replaces old_text, which must be in the file exactly once unless ' +
      'all_occurrences is set. All edits are made or none. One edit with an empty old_text makes a new file.',
    input: Input,
    annotations: { title: 'Edit a file', destructiveHint: true, openWorldHint: false },
    async run({ path, edits }, { workspace, sessionId }) {
      const place = await locate(workspace, path)
      await askGuard(guard, 'write', place, sessionId)
      return sequencer.run(place.path, () => editFile(place, edits))
    },
  })
}

async function editFile(place: Place, edits: readonly Edit[]): Promise<string> {
  const name = place.names.at(-1)
  if (name === undefined) throw new ToolFailure('This is the workspace itself, not a file.')
  const isNew = edits[0]?.old_text === ''
  const folder = await holdParent(place, isNew)
  try {
    const before = await readBefore(folder, name, place)
    const edited = applyEdits(before?.decoded.text ?? null, edits)
    if ('problem' in edited) throw new ToolFailure(`${place.shown}: ${edited.problem}`)
    const content = encode({ ...(before?.decoded ?? NEW), text: edited.text })
    if (content === null) {
      throw new ToolFailure(
        `${place.shown} is in Latin 1, and the new text has characters that Latin 1 has not. Nothing was changed.`,
      )
    }
    if (content.length > MAX_BYTES) throw tooLarge(place)
    await replaceFile(folder, name, content, before?.stats ?? null)
    if (before === null) return `${place.shown} was made.`
    return `${place.shown} was edited in ${linesInWords(edited.lines)}.`
  } finally {
    await folder.close()
  }
}

function linesInWords(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines.join()}`
  const more = lines.length > MAX_LINES_TOLD ? ' …' : ''
  return `${lines.length} places, line ${lines.slice(0, MAX_LINES_TOLD).join(', ')}${more}`
}

const NEW: DecodedText = { text: '', encoding: 'utf-8', hasBom: false }

interface Before {
  decoded: DecodedText
  stats: Stats
}

/** Null if there is no such file. */
async function readBefore(folder: HeldFolder, name: string, place: Place): Promise<Before | null> {
  const handle = await folder.findFile(name)
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (stats.size > MAX_BYTES) throw tooLarge(place)
    const decoded = decode(await handle.readFile())
    if (decoded === null) throw new ToolFailure(`${place.shown} is not a text file.`)
    return { decoded, stats }
  } finally {
    await handle.close()
  }
}

function tooLarge(place: Place): ToolFailure {
  return new ToolFailure(`${place.shown} is larger than ${MAX_BYTES} bytes and cannot be edited.`)
}
