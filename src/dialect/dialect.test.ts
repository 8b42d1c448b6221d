import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { recordedSituations } from '../../test/support/fixtures.js'
import { replayLog } from '../../test/support/replay.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import { agUiDialect } from './ag-ui.js'
import { type Dialect, speak } from './dialect.js'
import { managerDialect } from './manager.js'
import { unifiedDialect } from './unified.js'

const FOLDER = new URL('../../test/support/fixtures/dialect/', import.meta.url)

/** The stream of a session as a subscriber gets it, from its first event. */
function logOf(name: string): (SessionEvent | Delta)[] {
  let seq = 0
  return replayLog(name).map((draft) => {
    const stamp = { sessionId: 'ses_1', at: '2026-11-15T12:00:00.000Z' }
    const isStored = !draft.type.endsWith('.delta')
    return { ...draft, ...stamp, ...(isStored && { seq: ++seq, id: `evt_${seq}` }) } as SessionEvent | Delta
  })
}

const dialects: [string, Dialect<unknown, unknown>][] = [
  ['manager', managerDialect],
  ['unified', unifiedDialect()],
  ['ag-ui', agUiDialect],
]

describe.each(dialects)('%s', (dialectName, dialect) => {
  // Written anew by `npm run docs`; read the difference before you commit it.
  test.each(recordedSituations())('tells what happened in %s', (situation) => {
    const tell = speak(dialect)
    const told = logOf(situation).flatMap((event) => tell(event))
    const text = told.map((event) => `${JSON.stringify(event)}\n`).join('')
    const file = new URL(`${dialectName}/${situation}.jsonl`, FOLDER)
    if (process.env['WRITE_DOCS'] || !existsSync(file)) {
      mkdirSync(new URL(`${dialectName}/`, FOLDER), { recursive: true })
      writeFileSync(file, text)
    }
    expect(text).toBe(readFileSync(file, 'utf8'))
  })

  test('a reader without fragments is told the same text', () => {
    const [whole, stored] = [
      logOf('tool-allowed'),
      logOf('tool-allowed').filter((event) => 'seq' in event),
    ].map((log) => {
      const tell = speak(dialect)
      return textOf(log.flatMap((event) => tell(event)))
    })
    expect(whole).not.toBe('')
    expect(stored).toBe(whole)
  })
})

const TEXT: ReadonlySet<string> = new Set(['textComplete', 'text_delta', 'TEXT_MESSAGE_CONTENT'])

function textOf(events: readonly unknown[]): string {
  return (events as { type: string; text?: string; delta?: string; payload?: { text?: string } }[])
    .filter(({ type }) => TEXT.has(type))
    .map((event) => event.text ?? event.delta ?? event.payload?.text ?? '')
    .join('')
}

test('two sessions in one stream do not mix', () => {
  const tell = speak(managerDialect)
  const log = logOf('tool-allowed')
  const twice = log.flatMap((event) => [tell(event), tell({ ...event, sessionId: 'ses_2' })])
  const alone = speak(managerDialect)
  expect(twice.filter((_, index) => index % 2 === 1)).toEqual(log.map((event) => alone(event)))
})

test('ag-ui sends nothing outside of a run, and ends what it starts', () => {
  const PAIRS: Record<string, string> = {
    RUN_STARTED: 'RUN_FINISHED RUN_ERROR',
    TEXT_MESSAGE_START: 'TEXT_MESSAGE_END',
    REASONING_START: 'REASONING_END',
    REASONING_MESSAGE_START: 'REASONING_MESSAGE_END',
    TOOL_CALL_START: 'TOOL_CALL_END',
  }
  for (const situation of recordedSituations()) {
    const tell = speak(agUiDialect)
    const open: string[] = []
    for (const { type } of logOf(situation).flatMap((event) => tell(event))) {
      const isStart = type in PAIRS
      const started = open.findLastIndex((start) => PAIRS[start]?.split(' ').includes(type))
      if (type !== 'RUN_STARTED') expect([situation, type, open[0]]).toEqual([situation, type, 'RUN_STARTED'])
      if (isStart) open.push(type)
      else if (started >= 0) expect(open.splice(started)).toHaveLength(1)
    }
  }
})
