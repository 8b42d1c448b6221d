/** Signalbox inside a program: the real CLI, the scripted model, no server. */

import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createSignalbox, type Session, type SignalboxOptions } from '../../src/index.js'
import type { Delta, SessionEvent } from '../../src/protocol/event/event.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { MAIN, makePlace, processesOf } from '../support/daemon-process.js'

const script = (cwd: string): ScriptInput => ({
  rules: [
    {
      when: { user: 'write' },
      reply: [{ tool: 'Write', input: { file_path: join(cwd, 'hello.txt'), content: 'hello' } }],
    },
    { when: { toolResult: 'Write' }, reply: [{ text: 'Written.' }] },
    { when: { user: 'slow' }, reply: [{ text: 'word '.repeat(400), delayMs: 5 }] },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})

async function openRuntime(more: SignalboxOptions = {}) {
  const place = await makePlace(script)
  const options = { home: place.home, scripted: place.scriptFile, env: place.env, who: 'kim', ...more }
  const box = await createSignalbox(options)
  onTestFinished(() => box.close())
  return { box, place, options }
}

async function read(session: Session): Promise<(SessionEvent | Delta)[]> {
  const events: (SessionEvent | Delta)[] = []
  for await (const event of session.stream()) events.push(event)
  return events
}

const textsOf = (events: readonly (SessionEvent | Delta)[]) =>
  events.flatMap((event) => (event.type === 'text.ended' ? [event.data.text] : []))

test('send, stream to the end of the turn, send again: nothing is missed or told twice', async () => {
  const { box, place } = await openRuntime()
  const session = await box.sessions.create({ cwd: place.cwd })
  await session.send('one')
  const first = await read(session)
  expect(textsOf(first)).toEqual(['You said: one'])
  expect(first.some((event) => event.type === 'text.delta')).toBe(true)
  expect(first.at(-1)).toMatchObject({ type: 'turn.ended', data: { outcome: 'completed' } })

  // Two messages before the stream is read: one stream gives both turns.
  await session.send('two', { whenBusy: 'queue' })
  await session.send('three', { whenBusy: 'queue' })
  const second = await read(session)
  expect(textsOf(second)).toEqual(['You said: two', 'You said: three'])

  const stored = [...first, ...second].flatMap((event) => ('seq' in event ? [event.seq] : []))
  expect(stored).toEqual(stored.map((_, index) => index + 1))
})

test('await using ends the session and its process; its id takes it up again', async () => {
  const { box, place } = await openRuntime()
  let id: string
  {
    await using session = await box.sessions.create({ cwd: place.cwd, prompt: 'hello' })
    id = session.id
    expect(textsOf(await read(session))).toEqual(['You said: hello'])
    expect(processesOf(place.home)).not.toEqual([])
  }
  expect(processesOf(place.home)).toEqual([])
  expect((await box.sessions.list()).map((session) => session.state)).toEqual(['ended'])

  const again = await box.sessions.resume(id)
  await again.send('again')
  expect(textsOf(await read(again))).toEqual(['You said: again'])
})

test('a program answers what an agent asks', async () => {
  const { box, place } = await openRuntime()
  const answering = (async () => {
    for await (const event of box.events()) {
      if (event.type !== 'permission.requested') continue
      return box.inbox.answer(event.data.requestId, { decision: 'allow' })
    }
    return null
  })()
  const session = await box.sessions.create({ cwd: place.cwd, prompt: 'write it' })
  expect(textsOf(await read(session))).toEqual(['Written.'])
  expect(await answering).toMatchObject({ state: 'resolved', resolution: { who: 'kim', via: 'library' } })
  expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
  expect(await box.inbox.pending()).toEqual([])
})

test('an interrupt ends the turn, not the session', async () => {
  const { box, place } = await openRuntime()
  const session = await box.sessions.create({ cwd: place.cwd, prompt: 'slow' })
  const events: (SessionEvent | Delta)[] = []
  for await (const event of session.stream()) {
    if (event.type === 'text.delta' && !events.some(({ type }) => type === 'text.delta'))
      await session.interrupt()
    events.push(event)
  }
  expect(events.at(-1)).toMatchObject({ type: 'turn.ended', data: { outcome: 'interrupted' } })
  await session.send('next')
  expect(textsOf(await read(session))).toEqual(['You said: next'])
})

test('a home has room for one; the second is told so, and what to do', async () => {
  const { options } = await openRuntime()
  await expect(createSignalbox(options)).rejects.toThrow(/already running in this home.*--home/)
})

test('settings of the program go over the file in the home, and are checked', async () => {
  const { box, options, place } = await openRuntime()
  await box.close()
  await writeFile(join(place.home, 'config.jsonc'), '{ "whenBusy": "queue" }')
  await expect(createSignalbox({ ...options, config: { maxLive: 0 } })).rejects.toThrow(/maxLive/)
})

test('a home that was closed is free for other processes while this one lives; an open one is not', async () => {
  const { box, place } = await openRuntime()
  const inOtherProcess = () =>
    promisify(execFile)(
      process.execPath,
      [MAIN, 'run', 'hello', '--home', place.home, '--scripted', place.scriptFile],
      { env: place.env, cwd: place.cwd, timeout: 60_000 },
    ).then(
      ({ stdout }) => stdout.trim(),
      (error: unknown) => String((error as { stderr?: unknown }).stderr),
    )
  expect(await inOtherProcess()).toContain('already running')
  await rm(join(place.home, 'lock'))
  expect(await inOtherProcess()).toContain('already running')
  await box.close()
  expect(await inOtherProcess()).toContain('You said: hello')
})
