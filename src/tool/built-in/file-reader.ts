/** `file_reader`: a window of lines of a text file of any size, or an image. */

import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { imageTypeOf } from '../file/encoding.js'
import { askGuard, type FileGuard } from '../file/guard.js'
import { holdParent } from '../file/held-folder.js'
import { type LineWindow, readWindow } from '../file/line-window.js'
import { locate, type Place } from '../file/place.js'
import { defineTool, type Tool, ToolFailure } from '../tool.js'

const DEFAULT_LINES = 2_000
/** Claude Code puts longer results of tools aside and shows their start only. */
const MAX_BYTES = 64 * 1024
const MAX_LINE_BYTES = 8 * 1024
const MAX_IMAGE_BYTES = 3_750_000
const PIECE_BYTES = 64 * 1024

const Input = z.object({
  path: z.string().describe('File path to read'),
  offset: z.number().optional().describe('Start line number'),
  limit: z.number().optional().describe('Number of lines to read'),
})

export function createFileReader(guard: FileGuard): Tool {
  return defineTool({
    name: 'file_reader',
    isRepeatable: true,
    description:
      'Reads a text file of the workspace, or shows an image. Gives at most 2000 lines or 64 KiB; read on with offset ' +
      '(the number of the first line, from 1) and limit.',
    input: Input,
    annotations: { title: 'Read a file', readOnlyHint: true, openWorldHint: false },
    async run({ path, offset = 1, limit = DEFAULT_LINES }, { workspace, sessionId, signal }) {
      expectCount('offset', offset)
      expectCount('limit', limit)
      const place = await locate(workspace, path)
      await askGuard(guard, 'read', place, sessionId)
      const handle = await openForReading(place)
      try {
        return (await readImage(handle, place)) ?? (await readText(handle, place, offset, limit, signal))
      } finally {
        await handle.close()
      }
    },
  })
}

function expectCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1)
    throw new ToolFailure(`${name} counts from 1; ${value} does not.`)
}

async function openForReading(place: Place): Promise<FileHandle> {
  const name = place.names.at(-1)
  if (name === undefined) throw new ToolFailure('This is the workspace itself, not a file.')
  const folder = await holdParent(place)
  try {
    return await folder.openFile(name)
  } finally {
    await folder.close()
  }
}

async function readImage(handle: FileHandle, place: Place) {
  const start = Buffer.alloc(16)
  const { bytesRead } = await handle.read(start, 0, start.length, 0)
  const mimeType = imageTypeOf(start.subarray(0, bytesRead))
  if (mimeType === null) return null
  const { size } = await handle.stat()
  if (size > MAX_IMAGE_BYTES) {
    throw new ToolFailure(`${place.shown} is an image of ${size} bytes; ${MAX_IMAGE_BYTES} can be shown.`)
  }
  const data = Buffer.alloc(size)
  await handle.read(data, 0, size, 0)
  return { type: 'image', data, mimeType }
}

async function readText(
  handle: FileHandle,
  place: Place,
  offset: number,
  limit: number,
  signal: AbortSignal,
) {
  const window = await readWindow(piecesOf(handle, signal), {
    offset,
    maxLines: limit,
    maxBytes: MAX_BYTES,
    maxLineBytes: MAX_LINE_BYTES,
  })
  if (window === null) {
    const { size } = await handle.stat()
    throw new ToolFailure(`${place.shown} is not a text file (${size} bytes).`)
  }
  const notes = notesOn(window, offset)
  const parts = notes.length > 0 ? [window.text, `[${notes.join(' ')}]`] : [window.text]
  return parts.filter((part) => part !== '').map((text) => ({ type: 'text', text }))
}

/** Facts about the file that its text does not show. */
function notesOn({ text, lines, next, total, cut, encoding, hasBom }: LineWindow, offset: number): string[] {
  const notes: string[] = []
  if (text === '' && total === 0) notes.push('The file is empty.')
  const last = offset + lines - 1
  if (next !== null) notes.push(`Lines ${offset} to ${last}; the file goes on: use offset ${next}.`)
  else if (offset > 1) notes.push(`Lines ${offset} to ${last}, the last.`)
  if (cut.length > 0) notes.push(`Too long and shown in part only: line ${cut.join(', ')}.`)
  if (encoding !== 'utf-8') notes.push(`Encoding: ${encoding}.`)
  else if (hasBom) notes.push('Encoding: utf-8 with a byte order mark.')
  return notes
}

async function* piecesOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(PIECE_BYTES)
  let position = 0
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
