/** From the stream through the rows to the log: exactly once, whatever fails in between. */

import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { problemsOf } from '../../../test/support/check-log.js'
import { makeTerminalLog } from '../../../test/support/terminal-log.js'
import { FileStreamConsumer } from '../stream/file-stream-consumer.js'
import { rotateStream } from '../stream/rotate.js'

type Scene = Awaited<ReturnType<typeof makeTerminalLog>>

/** A turn with the given prompt. */
function turn({ write }: Pick<Scene, 'write'>, prompt: string): void {
  write('turn.start', { prompt })
  write('turn.end', { outcome: 'completed' })
}

async function prompts({ events }: Pick<Scene, 'events'>): Promise<string[]> {
  return (await events()).flatMap((event) => (event.type === 'message.queued' ? [event.data.text] : []))
}

const cursorIn = ({ database }: Pick<Scene, 'database'>) =>
  database().prepare('select reader, seq from lifecycle_cursors').all()

test('each line is parsed once on its way into the log, and there is one offset and one cursor', async () => {
  const scene = await makeTerminalLog()
  await scene.look()
  turn(scene, 'a')
  turn(scene, 'b')
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())

  await scene.look(1)

  const lines = readFileSync(scene.path, 'utf8').trimEnd().split('\n')
  const parsed = parse.mock.calls.map(([text]) => text).filter((text) => lines.includes(text))
  expect(parsed).toEqual(lines)
  expect(await prompts(scene)).toEqual(['a', 'b'])
  const offsets = scene.database().prepare('select stream_key from lifecycle_stream_offsets').all()
  expect(offsets).toEqual([{ stream_key: scene.path }])
  expect(cursorIn(scene)).toEqual([{ reader: 'log', seq: 4 }])
})

test('an end without warning between the rows and the log: the next run records what is stored', async () => {
  const scene = await makeTerminalLog()
  turn(scene, 'a')
  await scene.look(1)
  turn(scene, 'b')
  await scene.storeRows()
  expect(await prompts(scene)).toEqual(['a'])

  scene.restart()
  turn(scene, 'c')
  await scene.look(1)

  expect(await prompts(scene)).toEqual(['a', 'b', 'c'])
  expect(problemsOf(await scene.events())).toEqual([])
})

test('an end without warning between the log and its cursor: nothing is recorded twice', async () => {
  const scene = await makeTerminalLog()
  turn(scene, 'a')
  await scene.look(1)
  const [before] = cursorIn(scene)
  turn(scene, 'b')
  await scene.look(1)
  const recorded = await scene.types()
  scene.database().exec(`update lifecycle_cursors set seq = ${(before as { seq: number }).seq}`)

  scene.restart()
  await scene.look(1)
  expect(await scene.types()).toEqual(recorded)

  turn(scene, 'c')
  await scene.look(1)
  expect(await prompts(scene)).toEqual(['a', 'b', 'c'])
  expect(cursorIn(scene)).toEqual([{ reader: 'log', seq: 6 }])
})

test('a stream that is rotated with unread lines, over a restart: every line is in the log once, in order', async () => {
  const scene = await makeTerminalLog()
  turn(scene, 'a')
  await scene.look(1)
  turn(scene, 'b')
  rotateStream(scene.path, scene.clock.now())
  turn(scene, 'c')
  await scene.look(1)
  turn(scene, 'd')
  rotateStream(scene.path, scene.clock.now())
  scene.restart()
  turn(scene, 'e')
  await scene.look()
  await scene.look()

  expect(await prompts(scene)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(problemsOf(await scene.events())).toEqual([])
})

test('damaged lines are kept aside, and the lines around and glued to them are in the log once', async () => {
  const scene = await makeTerminalLog()
  turn(scene, 'a')
  appendFileSync(scene.path, 'not json\n{"id":"x"}\n')
  turn(scene, 'b')
  await scene.look(1)
  appendFileSync(scene.path, '{"id":"cut","eventType":"turn.st')
  turn(scene, 'c')
  await scene.look(1)
  scene.restart()
  await scene.look(1)

  expect(await prompts(scene)).toEqual(['a', 'b', 'c'])
  expect(problemsOf(await scene.events())).toEqual([])
  const bad = scene.database().prepare('select reason from lifecycle_bad_lines order by byte_offset').all()
  expect(bad).toEqual([{ reason: 'not_json' }, { reason: 'session_id_invalid' }, { reason: 'cut_short' }])
})

test('rows that another process stores reach the log, also between those of our own', async () => {
  const scene = await makeTerminalLog()
  const other = new FileStreamConsumer({ path: scene.path, database: scene.database(), rotateAtBytes: 0 })
  onTestFinished(() => other.close())
  turn(scene, 'a')
  await scene.look(1)
  turn(scene, 'b')
  await other.consume()
  turn(scene, 'c')
  await scene.look(1)
  turn(scene, 'd')
  await scene.look(1)

  expect(await prompts(scene)).toEqual(['a', 'b', 'c', 'd'])
})

test('a reader that is far behind gets everything, in order', async () => {
  const scene = await makeTerminalLog()
  const wanted = Array.from({ length: 1_200 }, (_, index) => `${index}`)
  for (const [index, prompt] of wanted.entries()) {
    turn(scene, prompt)
    if (index % 300 === 0) await scene.storeRows()
  }
  await scene.look(1)

  expect(await prompts(scene)).toEqual(wanted)
})

test('what a consumer alone has stored before there was a daemon is recorded, but not what was long over', async () => {
  const scene = await makeTerminalLog()
  scene.write('session.lifecycle', { phase: 'started', sessionId: 'long over' })
  scene.write('session.lifecycle', { phase: 'ended', sessionId: 'long over' })
  await scene.storeRows()
  scene.clock.advance(25 * 3_600_000)
  turn(scene, 'a')
  await scene.storeRows()

  scene.restart()
  await scene.look(1)

  expect(await prompts(scene)).toEqual(['a'])
  expect(await scene.sessions()).toHaveLength(1)
})

test('after a restart the monitor knows each session again from the rows, though the files are gone', async () => {
  const scene = await makeTerminalLog()
  scene.write('session.lifecycle', { phase: 'started' })
  scene.write('skill.lifecycle', { phase: 'in_progress', skillName: 'spec' })
  turn(scene, 'a')
  await scene.look(1)
  const before = scene.monitor().sessions()
  rmSync(rotateStream(scene.path, scene.clock.now())?.to ?? '')

  scene.restart()
  await scene.look(1)

  expect(before).toHaveLength(1)
  expect(scene.monitor().sessions()).toEqual(before)
})

test('rows that a user has deleted do not make the log miss later ones', async () => {
  const scene = await makeTerminalLog()
  turn(scene, 'a')
  turn(scene, 'b')
  await scene.look(1)
  scene.database().exec('delete from turn_lifecycle_events')

  scene.restart()
  turn(scene, 'c')
  await scene.look(1)

  expect(await prompts(scene)).toEqual(['a', 'b', 'c'])
})
