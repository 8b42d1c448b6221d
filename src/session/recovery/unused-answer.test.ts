/** Answers that were acknowledged right before the daemon was killed. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  ids,
  permissionRequested,
  permissionResolved,
  sessionCreated,
  turnStarted,
} from '../../../test/support/build.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { digest } from '../../lib/digest.js'
import type { DataOf, EventDraft } from '../../protocol/event/event.js'
import { createMemoryStore } from '../../store/memory.js'

const input = { file_path: 'a', content: 'a' }

/** The log of a session that was killed after a request was answered, and what the CLI has recorded of it. */
async function killed(decision: DataOf<'permission.resolved'>['decision'], more: readonly EventDraft[] = []) {
  const folder = await temporaryFolder()
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const sessionId = ids.next('ses')
  const requestId = ids.next('per')
  const conversationId = crypto.randomUUID()
  const toolUseId = 'toolu_1'
  const drafts = [
    sessionCreated({ cwd: folder, conversation: { kind: 'new', id: conversationId } }),
    turnStarted(ids.next('trn')),
    { type: 'tool.requested', data: { toolUseId, name: 'Write', input } } as const,
    permissionRequested(requestId, { input, inputDigest: digest(JSON.stringify(input)) }),
    permissionResolved(requestId, { decision, message: 'As I said.' }),
    ...more,
  ]
  const from = Date.now()
  const stamped = drafts.map((draft, index) => ({
    ...draft,
    id: ids.next('evt'),
    at: new Date(from + index).toISOString(),
  }))
  await store.append([{ sessionId, drafts: stamped }])
  const project = join(folder, 'claude', 'projects', '-project')
  await mkdir(project, { recursive: true })
  const result = { type: 'tool_result', tool_use_id: toolUseId, content: 'The stream was closed.' }
  const lines = [{ cwd: folder }, { message: { content: [result] } }]
  await writeFile(
    join(project, `${conversationId}.jsonl`),
    lines.map((line) => JSON.stringify(line)).join('\n'),
  )
  return { store, folder, sessionId, requestId }
}

const call = {
  toolUseId: 'toolu_2',
  name: 'Write',
  input,
  suggestions: [],
  reason: null,
  signal: new AbortController().signal,
}

test.each(['allow', 'deny'] as const)(
  'an answer (%s) that had not reached the agent counts when the turn goes on after the restart',
  async (decision) => {
    const { store, folder, sessionId, requestId } = await killed(decision)

    const runtime = await createTestRuntime({ store, folder })

    await expect.poll(() => runtime.claudes.started.length).toBe(1)
    const reply = await runtime.claudes.started[0]?.callbacks.canUseTool(call)
    expect(reply).toMatchObject({ allow: decision === 'allow' })
    expect(await runtime.inbox.requests({})).toHaveLength(1)
    expect(await runtime.inbox.request(requestId)).toMatchObject({ isParked: false, toolUseId: 'toolu_2' })
    expect(await runtime.hub.session(sessionId)).toMatchObject({ parkedRequests: [], pendingRequests: [] })
  },
)

test('a call that may have run is not run again without asking, and the session says so', async () => {
  const started: EventDraft = { type: 'tool.started', data: { toolUseId: 'toolu_1', by: 'person: kim' } }
  const { store, folder, sessionId } = await killed('allow', [started])

  const runtime = await createTestRuntime({ store, folder })

  await expect.poll(() => runtime.types(sessionId)).toContain('notice.raised')
  expect(runtime.claudes.started).toEqual([])
  expect(await runtime.hub.session(sessionId)).toMatchObject({ isInterrupted: true, parkedRequests: [] })
})

describe('a form of an MCP server that was answered right before the daemon was killed', () => {
  const form = { server: 'kit', message: 'Who are you?', schema: { type: 'object', properties: {} } }
  const reply = { action: 'accept', content: { name: 'Kim' } } as const
  const callForm: EventDraft = {
    type: 'tool.requested',
    data: { toolUseId: 'toolu_9', name: 'mcp__kit__register', input: {} },
  }
  const answered = (requestId: string): EventDraft[] => [
    {
      type: 'question.requested',
      data: {
        requestId,
        toolUseId: null,
        toolName: 'mcp__kit',
        input: form,
        inputDigest: digest(JSON.stringify(form)),
        questions: [],
        form,
      },
    },
    {
      type: 'question.resolved',
      data: { requestId, by: 'person', who: 'kim', via: 'api', reason: null, answers: null, form: reply },
    },
  ]
  const noticesOf = async (runtime: Awaited<ReturnType<typeof createTestRuntime>>, sessionId: string) =>
    (await runtime.events(sessionId)).flatMap(({ type, data }) =>
      type === 'notice.raised' ? [data.topic, data.text] : [],
    )

  test('is explained, and is asked again: the server may have the answer', async () => {
    const { store, folder, sessionId } = await killed('allow', [callForm, ...answered(ids.next('que'))])

    const runtime = await createTestRuntime({ store, folder })

    await expect
      .poll(() => noticesOf(runtime, sessionId))
      .toEqual([
        'answer_uncertain',
        expect.stringContaining(
          '"Who are you?" of the MCP server kit was accepted right before Signalbox was restarted',
        ),
      ])
    await expect.poll(() => runtime.claudes.started.length).toBe(1)
    void runtime.claudes.started[0]?.callbacks.elicit(form, new AbortController().signal)
    await expect.poll(async () => (await runtime.hub.session(sessionId)).pendingRequests).toHaveLength(1)
  })

  test('is no matter where the call has ended', async () => {
    const ended: EventDraft = {
      type: 'tool.ended',
      data: { toolUseId: 'toolu_9', name: 'mcp__kit__register', outcome: 'completed', durationMs: 1 },
    }
    const again: EventDraft = {
      type: 'tool.requested',
      data: { toolUseId: 'toolu_10', name: 'mcp__kit__visit', input: {} },
    }
    const { store, folder, sessionId } = await killed('allow', [
      callForm,
      ...answered(ids.next('que')),
      ended,
      again,
    ])

    const runtime = await createTestRuntime({ store, folder })

    await expect.poll(() => runtime.claudes.started.length).toBe(1)
    expect(await noticesOf(runtime, sessionId)).toEqual([])
  })
})
