/** The beginning of a transcript: where its session works, and the message that its conversation begins with. */

import { closeSync, readSync } from 'node:fs'
import { asRecord, asText } from '../../lib/read-json.js'
import { isByProgram } from './line.js'
import { openTranscript } from './source-file.js'

export interface TranscriptHead {
  readonly cwd: string | null
  /** Resumed and forked conversations begin with the same message. */
  readonly root: string | null
  readonly entrypoint: string | null
}

const HEAD_BYTES = 64 << 10

export function readHead(path: string): TranscriptHead | null {
  const opened = openTranscript(path)
  if (!opened) return null
  const bytes = Buffer.alloc(HEAD_BYTES)
  const got = readSync(opened.file, bytes, 0, HEAD_BYTES, 0)
  closeSync(opened.file)
  for (const text of bytes.toString('utf8', 0, got).split('\n')) {
    if (!text.includes('"cwd":')) continue
    try {
      const line = asRecord(JSON.parse(text))
      const cwd = asText(line['cwd'])
      if (cwd !== null) return { cwd, root: asText(line['uuid']), entrypoint: asText(line['entrypoint']) }
    } catch {
      // The line is longer than the head, or none.
    }
  }
  return { cwd: null, root: null, entrypoint: null }
}

/** Whether its first message says so. */
export function isOfTerminal(path: string | undefined): boolean {
  const entrypoint = path === undefined ? null : (readHead(path)?.entrypoint ?? null)
  return entrypoint !== null && !isByProgram(entrypoint)
}
