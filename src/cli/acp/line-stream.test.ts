import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { AnyMessage } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { lineStream } from './line-stream.js'

const LIMITS = { maxLineBytes: 1_000, maxOpenRequests: 2 }

function setup(limits = LIMITS) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { readable, writable } = lineStream(input, output, limits)
  const [reader, writer] = [readable.getReader(), writable.getWriter()]
  return {
    input,
    output,
    writer,
    next: async () => (await reader.read()).value,
    async rest() {
      const messages: AnyMessage[] = []
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return messages
        messages.push(value)
      }
    },
    async written() {
      output.end()
      return (await text(output))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}

const request = (id: number, method = 'session/list') => ({ jsonrpc: '2.0' as const, id, method, params: {} })
const line = (message: unknown) => `${JSON.stringify(message)}\n`

test('messages are read whatever the pieces in which they arrive', async () => {
  const { input, rest } = setup()
  const bytes = Buffer.from(
    `${line(request(1, 'ä'))}\r\n${line(request(2))}${JSON.stringify({ ...request(3), id: 'x' })}`,
  )
  for (const byte of bytes) input.write(Buffer.from([byte]))
  input.end()
  expect((await rest()).map((message) => 'method' in message && message.method)).toEqual([
    'ä',
    'session/list',
  ])
})

test('garbage gets an error, and what follows it is read', async () => {
  const { input, rest, written } = setup()
  const lines = [
    'nonsense',
    '[]',
    '7',
    '{"id":1}',
    '{"jsonrpc":"2.0","id":{},"method":"x"}',
    '"\u0000"',
    '[['.repeat(400),
  ]
  input.end(`${lines.join('\n')}\n${line(request(1))}`)
  expect(await rest()).toEqual([request(1)])
  expect((await written()).map(({ id, error }) => [id, (error as { code: number }).code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32700],
    [null, -32700],
  ])
})

test('a message that is too long is dropped while it arrives, and refused by its id', async () => {
  const { input, rest, written } = setup()
  const long = line({ jsonrpc: '2.0', id: 7, method: 'session/prompt', params: 'x'.repeat(5_000) })
  const hidden = line({ params: { id: 8, text: 'x'.repeat(5_000) }, id: 9, jsonrpc: '2.0', method: 'y' })
  input.end(long + hidden + line(request(1)))
  expect(await rest()).toEqual([request(1)])
  expect((await written()).map(({ id, error }) => [id, (error as { code: number }).code])).toEqual([
    [7, -32600],
    [null, -32600],
  ])
})

test('more requests than may be open are refused, until one is answered', async () => {
  const { input, output, next, writer, written } = setup()
  input.write([1, 2, 3, 1].map((id) => line(request(id))).join(''))
  expect([await next(), await next()]).toEqual([request(1), request(2)])
  const third = next()
  await expect.poll(() => output.readableLength).toBeGreaterThan(0)
  await writer.write({ jsonrpc: '2.0', id: 1, result: {} })
  input.write(line(request(4)))
  expect(await third).toEqual(request(4))
  const replies = await written()
  expect(replies.map(({ id, error }) => [id, error !== undefined])).toEqual([
    [3, true],
    [1, true],
    [1, false],
  ])
})

test('an answer is taken once, and only to what was asked', async () => {
  const { input, next, writer } = setup()
  await writer.write({ jsonrpc: '2.0', id: 5, method: 'session/request_permission' })
  const answer = { jsonrpc: '2.0', id: 5, result: {} }
  input.write(line({ ...answer, id: 6 }) + line(answer) + line(answer) + line(request(1)))
  expect(await next()).toEqual(answer)
  expect(await next()).toEqual(request(1))
})

test('a peer that does not read stops what is written and what is read', async () => {
  const { input, output, rest } = setup()
  let taken = 0
  const garbage = 'nonsense\n'.repeat(100)
  const all = rest()
  for (let round = 0; round < 1_000; round += 1) {
    if (!input.write(garbage)) break
    taken = round
    await new Promise(setImmediate)
  }
  expect(taken).toBeLessThan(999)
  expect(output.readableLength + output.writableLength).toBeLessThan(200_000)
  output.resume()
  input.end()
  expect(await all).toEqual([])
})

test('a write to a peer that has gone fails', async () => {
  const { output, writer } = setup()
  output.destroy()
  await expect(writer.write({ jsonrpc: '2.0', method: 'session/update' })).rejects.toThrow('gone')
})
