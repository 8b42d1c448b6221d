import { expect, onTestFinished, test } from 'vitest'
import { readScript, type ScriptInput } from './script.js'
import { startScriptedModel } from './server.js'

async function setup(script: ScriptInput) {
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${model.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { 'x-api-key': 'test', 'anthropic-version': '2023-06-01', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { model, ask }
}

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const request = (messages: unknown[], more: object = {}) => ({
  model: 'm',
  max_tokens: 10,
  messages,
  ...more,
})
const hello = request([user('hello')])
const toolUse = { type: 'tool_use', id: 't1', name: 'Write', input: {} }
const toolResult = { type: 'tool_result', tool_use_id: 't1', content: 'written' }

async function textOf(response: Response): Promise<string> {
  const body = (await response.json()) as { content: { text: string }[] }
  return body.content.map((block) => block.text).join('')
}

function eventsOf(stream: string): { type: string; [key: string]: unknown }[] {
  return stream
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => {
      const [event, data] = frame.split('\n')
      const parsed = JSON.parse((data ?? '').slice('data: '.length)) as { type: string }
      expect(event).toBe(`event: ${parsed.type}`)
      return parsed
    })
}

test('a reply is streamed as the Messages API streams it', async () => {
  const { ask } = await setup({
    defaults: { chunk: 3, usage: { input_tokens: 7, output_tokens: 5 } },
    rules: [
      {
        reply: [{ thinking: 'Hm.' }, { text: 'Hello' }, { tool: 'Read', input: { a: 1 } }, { tool: 'Read' }],
      },
    ],
  })

  const response = await ask({ ...hello, stream: true })
  const events = eventsOf(await response.text())

  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(response.headers.get('request-id')).toMatch(/^req_/)
  expect(events.map((event) => event.type)).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(events[0]).toMatchObject({
    message: { role: 'assistant', model: 'm', content: [], stop_reason: null },
  })
  expect(events.at(-2)).toEqual({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 5 },
  })
  const ids = events.flatMap(({ content_block: block }) => (block as { id?: string } | undefined)?.id ?? [])
  expect(new Set(ids).size).toBe(2)
})

test('without stream the same reply comes as one message', async () => {
  const { ask } = await setup({
    rules: [
      {
        reply: [{ text: 'Hello' }, { tool: 'Read', input: { a: 1 }, id: 'toolu_x' }, { stop: 'max_tokens' }],
      },
    ],
  })

  expect(await (await ask(hello)).json()).toMatchObject({
    type: 'message',
    content: [
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'toolu_x', name: 'Read', input: { a: 1 } },
    ],
    stop_reason: 'max_tokens',
    usage: { input_tokens: 10, output_tokens: 10 },
  })
})

test('the first rule that matches answers, as often as it may', async () => {
  const { ask, model } = await setup({
    rules: [
      { when: { user: 'hello' }, times: 2, reply: [{ text: 'first' }] },
      { when: { user: '/^HEL(.*)$/i' }, reply: [{ text: 'second {{match.1}} {{user}} {{nothing}}' }] },
      { when: { user: '*' }, reply: [{ text: 'any' }] },
    ],
  })

  expect(await textOf(await ask(hello))).toBe('first')
  expect(await textOf(await ask(hello))).toBe('first')
  expect(await textOf(await ask(hello))).toBe('second lo hello {{nothing}}')
  expect(await textOf(await ask(request([user('other')])))).toBe('any')
  expect(model.requests.map(({ rule, call }) => [rule, call])).toEqual([
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 4],
  ])
})

test('rules see tool results, injected messages, agents, models and the count of calls', async () => {
  const { ask } = await setup({
    rules: [
      { when: { call: 3 }, reply: [{ text: 'third call' }] },
      { when: { toolResult: 'Write', isError: true }, reply: [{ text: 'failed' }] },
      { when: { toolResult: 'Write' }, reply: [{ text: 'result: {{toolResult}}' }] },
      { when: { injected: 'also' }, reply: [{ text: 'injected: {{injected}}' }] },
      { when: { agent: '/scout/' }, reply: [{ text: 'agent' }] },
      { when: { model: 'opus' }, reply: [{ text: 'model' }] },
    ],
  })
  const conversation = [user('write'), assistant([toolUse])]
  const injected =
    'The user sent a new message while you were working:\nalso this\n\nThis is how Claude Code surfaces it.'

  expect(await textOf(await ask(request([...conversation, user([toolResult])])))).toBe('result: written')
  expect(await textOf(await ask(request([...conversation, user([{ ...toolResult, is_error: true }])])))).toBe(
    'failed',
  )
  expect(await textOf(await ask(hello))).toBe('third call')
  expect(await textOf(await ask(request([user('x'), { role: 'system', content: injected }])))).toBe(
    'injected: also this',
  )
  expect(await textOf(await ask(request([user(`x ${injected}`)])))).toBe('injected: also this')
  expect(
    await textOf(await ask(request([user('x')], { system: [{ type: 'text', text: 'You are a scout.' }] }))),
  ).toBe('agent')
  expect(await textOf(await ask({ ...hello, model: 'claude-opus' }))).toBe('model')
  expect(await textOf(await ask(hello))).toMatch(/^No rule/)
})

test('what the CLI adds for the model is not what the person said', async () => {
  const { ask } = await setup({ rules: [{ when: { user: 'secret' }, reply: [{ text: 'seen' }] }] })
  const text = '<system-reminder>\nsecret\n</system-reminder>\nhello'

  expect(await textOf(await ask(request([user([{ type: 'text', text }])])))).toMatch(/^No rule/)
})

test('errors, cuts and waits', async () => {
  const { ask } = await setup({
    rules: [
      {
        when: { user: 'overload' },
        reply: [{ error: 529, message: 'busy', headers: { 'retry-after': '1' } }],
      },
      { when: { user: 'late error' }, reply: [{ text: 'partly' }, { error: 500 }] },
      { when: { user: 'cut early' }, reply: [{ delayMs: 5 }, { cut: true }] },
      { when: { user: 'cut late' }, reply: [{ text: 'partly' }, { cut: true }] },
    ],
  })
  const say = (text: string) => ask({ ...request([user(text)]), stream: true })

  const overloaded = await say('overload')
  expect([overloaded.status, overloaded.headers.get('retry-after')]).toEqual([529, '1'])
  expect(await overloaded.json()).toEqual({
    type: 'error',
    error: { type: 'overloaded_error', message: 'busy' },
  })
  expect(eventsOf(await (await say('late error')).text()).at(-1)).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'api_error' },
  })
  await expect(say('cut early')).rejects.toThrow()
  await expect((await say('cut late')).text()).rejects.toThrow()
})

test.each([
  ['no key', hello, { 'x-api-key': '' }, 401],
  ['no version', hello, { 'anthropic-version': '' }, 400],
  ['not JSON', '{"model"', {}, 400],
  ['no model', { ...hello, model: undefined }, {}, 400],
  ['no max_tokens', { ...hello, max_tokens: undefined }, {}, 400],
  ['no messages', request([]), {}, 400],
  ['first message of the assistant', request([assistant('a')]), {}, 400],
  ['unknown role', request([{ role: 'robot', content: 'a' }]), {}, 400],
  ['empty content', request([user('')]), {}, 400],
  ['empty text', request([user([{ type: 'text', text: '' }])]), {}, 400],
  ['block without type', request([user([{ text: 'a' }])]), {}, 400],
  ['call without result', request([user('a'), assistant([toolUse]), user('b')]), {}, 400],
  ['result without call', request([user([toolResult])]), {}, 400],
  ['result given twice', request([user('a'), assistant([toolUse]), user([toolResult, toolResult])]), {}, 400],
  [
    'call id used twice',
    request([user('a'), assistant([toolUse]), user([toolResult]), assistant([toolUse]), user([toolResult])]),
    {},
    400,
  ],
  [
    'call with input of the wrong type',
    request([user('a'), assistant([{ ...toolUse, input: 'x' }]), user([toolResult])]),
    {},
    400,
  ],
  ['two tools of one name', { ...hello, tools: [{ name: 'a' }, { name: 'a' }] }, {}, 400],
  ['bad tool name', { ...hello, tools: [{ name: 'a b' }] }, {}, 400],
])('refuses what the API refuses: %s', async (_, body, headers, status) => {
  const { ask, model } = await setup({ rules: [{ reply: [{ text: 'ok' }] }] })

  const response = await ask(body, headers)

  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.any(String) } })
  expect(model.requests[0]?.status).toBe(status)
})

test('a call and its results, with system messages between, are in order', async () => {
  const { ask } = await setup({ rules: [{ reply: [{ text: 'ok' }] }] })
  const messages = [user('a'), assistant([toolUse]), { role: 'system', content: 'note' }, user([toolResult])]

  expect((await ask(request(messages))).status).toBe(200)
})

test('the other places', async () => {
  const { model } = await setup({ rules: [{ reply: [{ text: 'ok' }] }] })
  const headers = { 'x-api-key': 'test', 'anthropic-version': '2023-06-01' }

  const count = await fetch(`${model.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers,
    body: JSON.stringify(hello),
  })
  expect(await count.json()).toEqual({ input_tokens: expect.any(Number) })
  expect(await (await fetch(`${model.url}/v1/models`)).json()).toMatchObject({
    data: [{ type: 'model' }, {}, {}],
  })
  expect(await (await fetch(`${model.url}/__requests`)).json()).toMatchObject({
    requests: [{ path: '/v1/messages/count_tokens' }],
  })
  expect((await fetch(`${model.url}/nothing`)).status).toBe(404)
})

test('another script takes over at once, with its counters at zero', async () => {
  const { ask, model } = await setup({ rules: [{ reply: [{ text: 'one' }] }] })
  expect(await textOf(await ask(hello))).toBe('one')

  model.use({ rules: [{ when: { call: 1 }, reply: [{ text: 'two' }] }] })

  expect(await textOf(await ask(hello))).toBe('two')
})

test('a script is YAML or JSON; a mistake in it is named with its place', () => {
  const script = readScript(
    'rules:\n  - when: { user: "a" }\n    reply: [ { text: "b", delayMs: 5 }, { tool: Read } ]\n',
  )
  expect(script.rules[0]?.reply).toEqual([{ text: 'b', delayMs: 5 }, { tool: 'Read' }])
  expect(readScript('{"rules":[{"reply":[{"cut":true}]}]}').rules[0]?.when).toEqual({})
  expect(() => readScript('rules: [ { reply: [ { txt: "b" } ] } ]')).toThrow(/rules\[0\]\.reply\[0\]/)
  expect(() => readScript('rules: []')).toThrow(/rules/)
  expect(() => readScript('a: [')).toThrow()
})
