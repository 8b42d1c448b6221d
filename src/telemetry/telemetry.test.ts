/** The export to a collector: what arrives, field by field, and what happens while the collector is broken. */

import { expect, onTestFinished, test } from 'vitest'
import type { z } from 'zod'
import {
  ids,
  messageQueued,
  permissionRequested,
  permissionResolved,
  textEnded,
  turnEnded,
  turnStarted,
} from '../../test/support/build.js'
import { type Answer, accept, type Received, startCollector } from '../../test/support/otlp-collector.js'
import { createTestRuntime } from '../../test/support/test-runtime.js'
import { traceIdOf, traceparentOf } from '../lib/trace-id.js'
import type { EventDraft } from '../protocol/event/event.js'
import { TelemetrySettings } from './settings.js'
import { startTelemetry } from './telemetry.js'

type Given = z.input<typeof TelemetrySettings>

async function setup(settings: Given = {}, answer?: Answer) {
  const runtime = await createTestRuntime()
  const collector = await startCollector(answer)
  const start = async () => {
    const telemetry = await startTelemetry({
      settings: TelemetrySettings.parse({ endpoint: collector.url, ...settings }),
      journal: runtime.journal,
      store: runtime.store,
      clock: runtime.clock,
      version: '1.2.3',
      redact: (text) => runtime.secrets.redactInSlices(text),
      onFault: (error) => runtime.faults.push(error),
    })
    onTestFinished(() => telemetry?.close())
    return telemetry
  }
  const telemetry = await start()
  const { id } = await runtime.createSession()
  const write = async (drafts: EventDraft[], ms = 0) => {
    await runtime.journal.append(id, drafts)
    runtime.clock.advance(ms)
  }
  const spans = () => collector.received.filter(({ path }) => path === '/v1/traces').flatMap(spansIn)
  return { ...runtime, ...collector, telemetry, start, id, write, spans }
}

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, unknown>
  status: { code: number }
}

function spansIn({ body }: Received): Span[] {
  // Cast: the collector has compared it with its definition.
  const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({ ...span, attributes: plain(span.attributes) })),
    ),
  )
}

function plain(attributes: unknown): Record<string, unknown> {
  const pairs = attributes as { key: string; value: Record<string, unknown> }[]
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}

const used = { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }

/** A turn with a call that waits five seconds for the user, around a hook and a subagent. */
async function play(
  write: (drafts: EventDraft[], ms?: number) => Promise<void>,
  input: unknown = { command: 'ls' },
) {
  const [turnId, requestId] = [ids.next('trn'), ids.next('per')]
  const call = { toolUseId: 'toolu_1', name: 'Bash' }
  await write([messageQueued('the prompt'), turnStarted(turnId)], 1_000)
  await write([
    { type: 'agent.started', data: { agentId: 'a1', agentType: 'reviewer', isBackground: false } },
  ])
  await write([{ type: 'tool.requested', data: { ...call, input } }], 100)
  const hook = { hookId: 'h1', command: 'check', event: 'PreToolUse', toolUseId: 'toolu_1' }
  await write([{ type: 'hook.started', data: hook }], 50)
  await write([
    { type: 'hook.ended', data: { hookId: 'h1', exitCode: 0, outcome: 'passed', durationMs: 50 } },
  ])
  await write([permissionRequested(requestId, { toolUseId: 'toolu_1', toolName: 'Bash' })], 5_000)
  await write([permissionResolved(requestId)], 200)
  await write([
    { type: 'tool.ended', data: { ...call, outcome: 'completed', result: 'the result', durationMs: 200 } },
  ])
  await write([textEnded('done'), { type: 'agent.ended', data: { agentId: 'a1', outcome: 'completed' } }])
  const modelUsage = { opus: { ...used, costUsd: 0.5, contextWindow: null } }
  await write([turnEnded(turnId, { usage: used, costUsd: 0.5, modelUsage })])
  return { turnId, requestId }
}

test('traces, metrics and logs arrive as the protocol defines them', async () => {
  const { write, received, spans, id, hub, faults } = await setup({
    headers: { 'x-key': 'secret-of-the-collector' },
  })
  const { requestId } = await play(write)
  await hub.stop(id, undefined, { who: 'kim', via: 'api' })
  await expect
    .poll(() =>
      spans()
        .map(({ name }) => name)
        .toSorted(),
    )
    .toEqual([
      'chat',
      'execute_tool Bash',
      'hook PreToolUse',
      'invoke_agent claude',
      'invoke_agent reviewer',
      'wait_for_user permission',
    ])
  const sentTo = (path: string) => JSON.stringify(received.filter((one) => one.path === path))
  await expect.poll(() => sentTo('/v1/logs')).toContain('signalbox.turn')

  expect(received.flatMap(({ problems }) => problems)).toEqual([])
  expect(received.every(({ headers }) => headers['x-key'] === 'secret-of-the-collector')).toBe(true)
  const named = (name: string) => spans().find((span) => span.name === name)
  const [session, turn, tool, wait, hook] = [
    'invoke_agent claude',
    'chat',
    'execute_tool Bash',
    'wait_for_user permission',
    'hook PreToolUse',
  ].map(named)
  expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(id)]))
  expect([turn, tool, wait, hook].map((span) => span?.parentSpanId)).toEqual([
    session?.spanId,
    turn?.spanId,
    tool?.spanId,
    tool?.spanId,
  ])
  expect(traceparentOf(id)).toBe(`00-${traceIdOf(id)}-${session?.spanId}-01`)
  expect(BigInt(wait?.endTimeUnixNano ?? 0) - BigInt(wait?.startTimeUnixNano ?? 0)).toBe(5_000_000_000n)
  expect(turn?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.conversation.id': id,
    'gen_ai.usage.input_tokens': '10',
    'gen_ai.usage.output_tokens': '5',
    'signalbox.cost_usd': 0.5,
  })
  expect(tool?.attributes).toMatchObject({ 'gen_ai.tool.name': 'Bash', 'gen_ai.tool.call.id': 'toolu_1' })
  expect(wait?.attributes).toMatchObject({
    'signalbox.request.id': requestId,
    'signalbox.request.by': 'person',
  })
  const metrics = sentTo('/v1/metrics')
  for (const name of ['session.count', 'token.usage', 'cost.usage'])
    expect(metrics).toContain(`claude_code.${name}`)
  expect(metrics).toContain('signalbox.request.wait.duration')
  expect(sentTo('/v1/logs')).toContain('claude_code.user_prompt')
  // Content only if it was asked for.
  expect(JSON.stringify(received)).not.toMatch(/the prompt|the result|"ls"/)
  expect(faults).toEqual([])
})

test('with content, prompts and results are exported without known secrets', async () => {
  const { write, received, secrets, spans } = await setup({ content: true })
  secrets.learn(['hunter2-hunter2'])
  await play(write, { command: 'login hunter2-hunter2' })
  await expect.poll(() => spans().some(({ name }) => name === 'chat')).toBe(true)
  const all = JSON.stringify(received)
  expect(all).toContain('the prompt')
  expect(all).toContain('the result')
  expect(all).toContain('login [redacted]')
  expect(all).not.toContain('hunter2')
})

test('without an endpoint nothing is followed', async () => {
  const { telemetry } = await setup({ endpoint: undefined })
  expect(telemetry).toBeNull()
})

test.each<[string, Answer]>([
  ['is overloaded', (response) => void response.writeHead(429, { 'retry-after': '2' }).end()],
  ['fails', (response) => void response.writeHead(503).end('broken')],
  ['refuses the key', (response) => void response.writeHead(401).end()],
  ['cuts the connection', (response) => void response.destroy()],
  [
    'cuts its reply',
    (response) =>
      void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
  ],
  ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
])('nothing is lost while the collector %s', async (_, broken) => {
  let isBroken = true
  const { write, received, spans, clock } = await setup({ signals: ['traces'] }, (response, one, count) => {
    if (isBroken) broken(response, one, count)
    else accept(response)
  })
  await play(write)
  await expect.poll(() => received.length).toBeGreaterThan(0)
  isBroken = false
  const before = received.length
  await expect.poll(() => (clock.advance(10_000), received.length)).toBeGreaterThan(before)
  await expect.poll(() => spans().some(({ name }) => name === 'chat')).toBe(true)
  const accepted = received.slice(before).flatMap(spansIn)
  expect(new Set(accepted.map(({ name }) => name))).toEqual(
    new Set([
      'chat',
      'execute_tool Bash',
      'hook PreToolUse',
      'invoke_agent reviewer',
      'wait_for_user permission',
    ]),
  )
})

test('after a restart the export continues where it stopped, with spans that were open', async () => {
  const { write, spans, telemetry, start, store } = await setup({ signals: ['traces'] })
  const turnId = ids.next('trn')
  await write([turnStarted(turnId)], 1_000)
  await expect.poll(async () => (await store.records('telemetry')).length).toBe(1)
  await telemetry?.close()
  await write([turnEnded(turnId)])
  await start()
  await expect.poll(() => spans().map(({ name }) => name)).toEqual(['chat'])
  const [span] = spans()
  expect(BigInt(span?.endTimeUnixNano ?? 0) - BigInt(span?.startTimeUnixNano ?? 0)).toBe(1_000_000_000n)
})

test('a batch that the collector will never take is dropped and reported', async () => {
  const { write, spans, faults } = await setup({ signals: ['traces'] }, (response, _, count) => {
    if (count === 1) response.writeHead(400).end('bad')
    else accept(response)
  })
  const [one, two] = [ids.next('trn'), ids.next('trn')]
  await write([turnStarted(one)], 10)
  await write([turnEnded(one)])
  await expect
    .poll(() => faults.map(String))
    .toEqual([expect.stringContaining('refused traces with status 400')])
  await write([turnStarted(two)], 10)
  await write([turnEnded(two)])
  await expect.poll(() => spans().length).toBe(2)
})

test('a slow collector slows down nothing: events are stored and read from there', async () => {
  const waiting: (() => void)[] = []
  const { write, received, journal, id } = await setup({ signals: ['logs'] }, (response) => {
    waiting.push(() => accept(response))
  })
  for (let count = 0; count < 300; count += 1) await journal.append(id, [messageQueued(`m${count}`)])
  await write([messageQueued('last')])
  // One request at a time, whatever has been stored meanwhile.
  expect(received.length).toBeLessThanOrEqual(1)
  const sent = () => JSON.stringify(received).split('claude_code.user_prompt').length - 1
  await expect.poll(() => (waiting.shift()?.(), sent())).toBeGreaterThanOrEqual(602)
})
