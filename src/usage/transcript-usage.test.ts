import { appendFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { createMemoryStore } from '../store/memory.js'
import { createTranscriptUsage } from './transcript-usage.js'

let messages = 0

function line({
  id = `msg_${(messages += 1)}`,
  output = 10,
  at = '2026-11-01T10:00:00Z',
  model = 'claude-opus-5',
} = {}) {
  const usage = { input_tokens: 1, output_tokens: output }
  const message = { model, id, role: 'assistant', content: [], usage }
  const more = { type: 'assistant', requestId: `req_${id}`, cwd: '/home/kim/project', timestamp: at }
  return `${JSON.stringify({ message, ...more })}\n`
}

async function aMachine() {
  const folder = await temporaryFolder()
  const store = createMemoryStore({ newId: () => '' })
  const usage = createTranscriptUsage({ folder, store })
  const write = async (path: string, ...lines: string[]) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await appendFile(join(folder, path), lines.join(''))
  }
  const outputs = async (counted = usage) => {
    const sums = await counted.sums()
    return Object.fromEntries(sums.map((sum) => [`${sum.sessionId} ${sum.hour % 24}`, sum.outputTokens]))
  }
  return { folder, store, usage, write, outputs }
}

test('every session that ran on this machine is counted, by hour, subagents with their session', async () => {
  const { usage, write } = await aMachine()
  await write('-home-kim-project/one.jsonl', line(), line(), line({ at: '2026-11-01T11:00:00Z' }))
  await write('-home-kim-project/one/subagents/agent-a.jsonl', line({ output: 5 }))
  await write('-home-kim-other/two.jsonl', line())
  await write('-home-kim-other/notes.txt', line())

  const sums = await usage.sums()
  expect(new Set(sums.map(({ sessionId, outputTokens }) => `${sessionId} ${outputTokens}`))).toEqual(
    new Set(['one 20', 'one 10', 'one 5', 'two 10']),
  )
  expect(sums[0]).toMatchObject({ cwd: '/home/kim/project', model: 'claude-opus-5', isPriced: true })
  expect(await usage.sums('2026-11-01T11:00:00Z')).toHaveLength(1)
})

test('the blocks of a message count once, with the figures of the last', async () => {
  const { write, outputs } = await aMachine()
  await write('p/one.jsonl', line({ id: 'a', output: 1 }), line({ id: 'a', output: 1 }))
  expect(await outputs()).toEqual({ 'one 10': 1 })

  await write('p/one.jsonl', line({ id: 'a', output: 7 }), line({ id: 'b', output: 2 }))
  expect(await outputs()).toEqual({ 'one 10': 9 })
})

test('a conversation that was copied into another file counts once', async () => {
  const { folder, write, outputs } = await aMachine()
  await write('p/one.jsonl', line(), line())
  await write('p/two.jsonl', await readFile(join(folder, 'p/one.jsonl'), 'utf8'), line({ output: 3 }))
  const counted = Object.values(await outputs()).reduce((sum, count) => sum + count, 0)
  expect(counted).toBe(23)
})

test('a line that is still being written counts when it is whole', async () => {
  const { write, outputs } = await aMachine()
  const text = line()
  await write('p/one.jsonl', line(), text.slice(0, 40))
  expect(await outputs()).toEqual({ 'one 10': 10 })
  await write('p/one.jsonl', text.slice(40))
  expect(await outputs()).toEqual({ 'one 10': 20 })
})

test('another run goes on where the last one stopped, and counts nothing twice', async () => {
  const { folder, store, write, outputs } = await aMachine()
  await write('p/one.jsonl', line(), line({ id: 'last', output: 4 }))
  await outputs()
  const later = createTranscriptUsage({ folder, store })
  await write('p/one.jsonl', line({ id: 'last', output: 6 }), line())
  expect(await outputs(later)).toEqual({ 'one 10': 26 })
})

test('what was counted stays counted when the file is deleted', async () => {
  const { folder, write, outputs } = await aMachine()
  await write('p/one.jsonl', line())
  await outputs()
  await rm(join(folder, 'p/one.jsonl'))
  expect(await outputs()).toEqual({ 'one 10': 10 })
})

test('a file that was rewritten is counted anew', async () => {
  const { folder, write, outputs } = await aMachine()
  const kept = line()
  await write('p/one.jsonl', kept, line(), line())
  await outputs()
  await truncate(join(folder, 'p/one.jsonl'))
  await writeFile(join(folder, 'p/one.jsonl'), kept)
  expect(await outputs()).toEqual({ 'one 10': 10 })
})

test('a line of many megabytes is read', async () => {
  const { write, outputs } = await aMachine()
  const long = JSON.stringify({ type: 'user', text: 'x'.repeat(9_000_000) })
  await write('p/one.jsonl', line(), `${long}\n`, line())
  expect(await outputs()).toEqual({ 'one 10': 20 })
})

test('a model without a price is said to have none', async () => {
  const { usage, write } = await aMachine()
  await write('p/one.jsonl', line({ model: 'claude-opus-99' }))
  expect(await usage.sums()).toMatchObject([{ isPriced: false, costUsd: 0, outputTokens: 10 }])
})

test('without any transcript nothing was used', async () => {
  const { folder, store } = await aMachine()
  const usage = createTranscriptUsage({ folder: join(folder, 'nowhere'), store })
  expect(await usage.sums()).toEqual([])
})
