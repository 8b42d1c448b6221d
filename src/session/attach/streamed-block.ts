/** The block that is being streamed, as far as a previous run has published it: readers that come now get it from its start. */

import { closeSync, openSync, readSync } from 'node:fs'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { DeltaDraft } from '../../protocol/event/event.js'
import type { StreamedBlock } from '../translate/state.js'

/** Null if the file does not have it. `offset`: up to here the output has been read. */
export function streamedDelta(path: string, offset: number, block: StreamedBlock | null): DeltaDraft | null {
  if (block === null || block.length === 0) return null
  const text = streamedText(path, offset)
  if (text.length !== block.length) return null
  if (block.kind === 'tool') {
    const { toolUseId, name } = block
    return { type: 'tool.input.delta', data: { toolUseId, name, offset: 0, text } }
  }
  const { messageId, index, kind } = block
  return { type: `${kind}.delta`, data: { messageId, index, offset: 0, text } }
}

function streamedText(path: string, offset: number): string {
  const lines = textUpTo(path, offset).split('\n')
  const start = lines.findLastIndex((line) => isOfMain(line) && line.includes('"content_block_start"'))
  if (start < 0) return ''
  return lines
    .slice(start)
    .filter(isOfMain)
    .map((line) => textOf(asRecord(asRecord(parse(line))['event'])))
    .join('')
}

function isOfMain(line: string): boolean {
  return line.includes('"stream_event"') && line.includes('"parent_tool_use_id":null')
}

function textOf({ type, delta }: Loose): string {
  if (type !== 'content_block_delta') return ''
  const { text, thinking, partial_json: json } = asRecord(delta)
  return asText(text) ?? asText(thinking) ?? asText(json) ?? ''
}

/** A block that begins further back is not looked for: its readers get the whole of it when it is complete. */
const MAX_BYTES = 32 << 20

function textUpTo(path: string, offset: number): string {
  const file = openSync(path, 'r')
  try {
    const data = Buffer.alloc(Math.min(offset, MAX_BYTES))
    return data.toString('utf8', 0, readSync(file, data, 0, data.length, offset - data.length))
  } finally {
    closeSync(file)
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
