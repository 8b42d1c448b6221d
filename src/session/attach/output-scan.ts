/** Reads the control requests in the output of a running CLI: the answer to `initialize`, and requests without an answer. */

import { closeSync, openSync, readSync } from 'node:fs'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'
import { answeredRequests, type JournaledLine } from './input-journal.js'

export interface OpenRequest {
  readonly line: string
  /** Where its line ends. */
  readonly end: number
  readonly subtype: string
  /** The call that it is about; null if it names none. */
  readonly toolUseId: string | null
}

export interface OutputScan {
  /** The end of the last whole line. */
  readonly end: number
  /** The answer to the newest `initialize`; null if there is none yet. */
  readonly initialized: Loose | null
  readonly open: readonly OpenRequest[]
}

const PIECE_BYTES = 1 << 20
const CONTROL = '"control_'

export function scanOutput(path: string, input: readonly JournaledLine[]): OutputScan {
  const answered = answeredRequests(input)
  const initialize = input.findLast(({ value }) => isInitialize(value))
  const id = asText(initialize?.value['request_id'])
  const open = new Map<string, OpenRequest>()
  let initialized: Loose | null = null
  let last = 0
  for (const [line, end] of linesOf(path)) {
    last = end
    if (!line.includes(CONTROL)) continue
    const said = parse(line)
    const response = asRecord(said['response'])
    if (said['type'] === 'control_response' && response['request_id'] === id) initialized = said
    const requestId = asText(said['request_id'])
    if (requestId === null) continue
    if (said['type'] === 'control_cancel_request') open.delete(requestId)
    if (said['type'] !== 'control_request' || answered.has(requestId)) continue
    open.set(requestId, { line, end, ...subjectOf(asRecord(said['request'])) })
  }
  return { end: last, initialized, open: [...open.values()] }
}

export function isInitialize(value: Loose): boolean {
  return value['type'] === 'control_request' && asRecord(value['request'])['subtype'] === 'initialize'
}

/** The key under which the CLI (2.1.325) sends the id of the call to a server of tools. */
const TOOL_USE_ID = 'claudecode/toolUseId'

function subjectOf(request: Loose): { subtype: string; toolUseId: string | null } {
  const parameters = asRecord(asRecord(request['message'])['params'])
  const toolUseId =
    asText(request['tool_use_id']) ??
    asText(asRecord(request['input'])['tool_use_id']) ??
    asText(asRecord(parameters['_meta'])[TOOL_USE_ID])
  return { subtype: asText(request['subtype']) ?? '', toolUseId }
}

function* linesOf(path: string): Generator<[line: string, end: number]> {
  const file = openSync(path, 'r')
  try {
    let unfinished = Buffer.alloc(0)
    let at = 0
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const count = readSync(file, piece, 0, PIECE_BYTES, at)
      if (count === 0) return
      const data = Buffer.concat([unfinished, piece.subarray(0, count)])
      const start = at - unfinished.length
      at += count
      let from = 0
      for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, from)) {
        yield [data.toString('utf8', from, end), start + end + 1]
        from = end + 1
      }
      unfinished = data.subarray(from)
    }
  } finally {
    closeSync(file)
  }
}

function parse(line: string): Loose {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    return {}
  }
}
