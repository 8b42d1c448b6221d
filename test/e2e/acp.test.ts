/** An editor on `signalbox acp` beside a daemon: sessions, updates, dialogs, and what other clients see and do meanwhile. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { makePlace, pendingRequest, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { type EditorProcess, FORMS, openEditor } from '../support/editor.js'
import { share } from '../support/when-done.js'

const { session: call } = methods.agent
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const shared = share(async () => {
  const place = await makePlace((cwd) => ({
    rules: [
      { when: { toolResult: 'AskUserQuestion' }, reply: [{ text: 'You chose {{toolResult}}.' }] },
      { when: { toolResult: 'TaskCreate' }, reply: [{ text: 'Planned.' }] },
      { when: { toolResult: '*', isError: true }, reply: [{ text: 'It was refused.' }] },
      { when: { toolResult: '*' }, reply: [{ text: 'The file is there.' }] },
      {
        when: { user: 'write' },
        reply: [
          { thinking: 'A file it is.' },
          { tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written\n' } },
        ],
      },
      {
        when: { user: 'plan' },
        reply: [{ tool: 'TaskCreate', input: { subject: 'Read the code', description: 'all of it' } }],
      },
      {
        when: { user: 'ask' },
        reply: [
          {
            tool: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Which storage?',
                  header: 'Storage',
                  multiSelect: false,
                  options: [
                    { label: 'SQLite', description: 'a file' },
                    { label: 'Memory', description: 'gone at the end' },
                  ],
                },
              ],
            },
          },
        ],
      },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(4_000), delayMs: 10 }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  return { place, daemon, editor: await openEditor(place) }
}, 60_000)
const place = () => shared().place
const daemon = () => shared().daemon

/** One process for the tests that need nothing of their own. */
function sharedEditor() {
  const { editor } = shared()
  editor.clear()
  return editor
}

async function newSession(editor: EditorProcess) {
  const { sessionId, ...settings } = await editor.agent.request(call.new, {
    cwd: place().cwd,
    mcpServers: [],
  })
  return {
    sessionId,
    settings,
    prompt: (text: string) =>
      editor.agent.request(call.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
  }
}

test('a prompt is streamed, a permission is answered in the editor, and the dashboard sees the same session', async () => {
  const editor = sharedEditor()
  const { sessionId, settings, prompt } = await newSession(editor)
  expect(settings.modes?.currentModeId).toBe('default')
  expect(settings.configOptions?.map(({ id }) => id)).toContain('mode')

  const turn = prompt('write it')
  const dialog = await editor.dialog()
  const request = await pendingRequest(daemon().client, sessionId)
  const { toolCall, options } = dialog.params
  expect(toolCall).toMatchObject({
    toolCallId: request.toolUseId,
    kind: 'edit',
    status: 'pending',
    locations: [{ path: join(place().cwd, 'a.txt') }],
  })
  expect(toolCall.content?.[0]).toEqual({
    type: 'diff',
    path: join(place().cwd, 'a.txt'),
    oldText: null,
    newText: 'written\n',
  })
  expect(options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once'])
  dialog.reply({ outcome: { outcome: 'selected', optionId: 'allow' } })

  expect(await turn).toEqual({ stopReason: 'end_turn' })
  expect(await readFile(join(place().cwd, 'a.txt'), 'utf8')).toBe('written\n')
  expect(editor.text('agent_thought_chunk')).toBe('A file it is.')
  expect(editor.text()).toBe('The file is there.')
  expect(editor.ofKind('tool_call_update').map(({ status }) => status)).toEqual(['in_progress', 'completed'])
  expect(editor.ofKind('usage_update')).toHaveLength(1)
  expect(editor.ofKind('session_info_update').at(-1)).toMatchObject({ title: 'write it' })
  expect(editor.ofKind('available_commands_update').length).toBeGreaterThan(0)
  const { request: answered } = await daemon().client.getRequest({ params: { id: request.id } })
  expect(answered.resolution).toMatchObject({ decision: 'allow', via: 'acp' })
}, 60_000)

test('an answer from elsewhere wins, and the dialog of the editor is withdrawn', async () => {
  const editor = sharedEditor()
  const { sessionId, prompt } = await newSession(editor)
  const turn = prompt('write it')
  const dialog = await editor.dialog()

  const { id } = await pendingRequest(daemon().client, sessionId)
  await daemon().client.answerRequest({ params: { id }, body: { decision: 'deny', message: 'Not today.' } })

  await expect.poll(() => dialog.isWithdrawn).toBe(true)
  expect(await turn).toEqual({ stopReason: 'end_turn' })
  expect(editor.text()).toBe('It was refused.')
  expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({ status: 'failed' })
}, 60_000)

test('a dialog that is closed without a choice decides nothing, and cancel ends the turn', async () => {
  const editor = sharedEditor()
  const { sessionId, prompt } = await newSession(editor)
  const turn = prompt('write it')
  const dialog = await editor.dialog()
  dialog.reply({ outcome: { outcome: 'cancelled' } })

  const { id } = await pendingRequest(daemon().client, sessionId)
  await editor.agent.request(call.list, {})
  const { request } = await daemon().client.getRequest({ params: { id } })
  expect(request.state).toBe('pending')

  await editor.agent.notify(call.cancel, { sessionId })
  expect(await turn).toEqual({ stopReason: 'cancelled' })
  await sessionWhen(daemon().client, sessionId, ({ state }) => state === 'idle')
}, 60_000)

test('cancel stops the text, and the next prompt works', async () => {
  const editor = sharedEditor()
  const { sessionId, prompt } = await newSession(editor)
  const turn = prompt('talk')
  await expect.poll(() => editor.text(), { timeout: 30_000 }).toContain('word word')
  await editor.agent.notify(call.cancel, { sessionId })
  expect(await turn).toEqual({ stopReason: 'cancelled' })

  const before = editor.text().length
  expect(await prompt('hello')).toEqual({ stopReason: 'end_turn' })
  expect(editor.text().slice(before)).toContain('You said: hello')
}, 60_000)

test('questions are forms where the editor has forms, and buttons where it has none', async () => {
  const withForms = await openEditor(place(), FORMS)
  const first = await newSession(withForms)
  const one = first.prompt('ask me')
  const form = await withForms.form()
  expect(form.params).toMatchObject({
    mode: 'form',
    requestedSchema: { properties: { question_1: { oneOf: [{ const: 'SQLite' }, { const: 'Memory' }] } } },
  })
  form.reply({ action: 'accept', content: { question_1: 'SQLite' } })
  await one
  expect(withForms.text()).toContain('SQLite')
  await withForms.leave()

  const without = sharedEditor()
  const second = await newSession(without)
  const other = second.prompt('ask me')
  const dialog = await without.dialog()
  expect(dialog.params.options.map(({ name }) => name)).toEqual(['SQLite', 'Memory', 'Decline to answer'])
  dialog.reply({ outcome: { outcome: 'selected', optionId: 'answer-1' } })
  await other
  expect(without.text()).toContain('Memory')
}, 60_000)

test('the tasks of the agent are the plan, and mode and model are chosen in the editor', async () => {
  const editor = sharedEditor()
  const { sessionId, prompt } = await newSession(editor)
  // Claude Code offers these tools with this model.
  const { configOptions: models } = await editor.agent.request(call.setConfigOption, {
    sessionId,
    configId: 'model',
    value: 'claude-haiku-4-5',
  })
  expect(models.find(({ id }) => id === 'model')?.currentValue).toMatch(/haiku/)
  await prompt('plan it')
  expect(editor.ofKind('plan').at(-1)?.entries).toEqual([
    { content: 'Read the code', status: 'pending', priority: 'medium' },
  ])
  expect(editor.ofKind('tool_call')).toEqual([])

  await editor.agent.request(call.setMode, { sessionId, modeId: 'acceptEdits' })
  await sessionWhen(daemon().client, sessionId, ({ permissionMode }) => permissionMode === 'acceptEdits')
  await expect.poll(() => editor.ofKind('current_mode_update').at(-1)?.currentModeId).toBe('acceptEdits')
  const { configOptions } = await editor.agent.request(call.setConfigOption, {
    sessionId,
    configId: 'mode',
    value: 'plan',
  })
  expect(configOptions.find(({ id }) => id === 'mode')?.currentValue).toBe('plan')
  await expect(editor.agent.request(call.setMode, { sessionId, modeId: 'nonsense' })).rejects.toMatchObject({
    code: -32602,
  })
}, 60_000)

test('a session is listed, loaded with its past, and shows what others write', async () => {
  const { session } = await daemon().client.createSession({
    body: { cwd: place().cwd, prompt: 'from the dashboard' },
  })
  await sessionWhen(daemon().client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
  const editor = sharedEditor()
  const { sessions } = await editor.agent.request(call.list, { cwd: place().cwd })
  expect(sessions.find(({ sessionId }) => sessionId === session.id)).toMatchObject({
    cwd: place().cwd,
    title: 'from the dashboard',
  })

  const open = { sessionId: session.id, cwd: place().cwd, mcpServers: [] }
  await editor.agent.request(call.load, open)
  expect(editor.text('user_message_chunk')).toBe('from the dashboard')
  expect(editor.text()).toBe('You said: from the dashboard')

  await daemon().client.sendMessage({ params: { id: session.id }, body: { text: 'again' } })
  await expect.poll(() => editor.text(), { timeout: 30_000 }).toContain('You said: again')
  expect(editor.text('user_message_chunk')).toBe('from the dashboardagain')

  await daemon().client.stopSession({ params: { id: session.id }, body: {} })
  await sessionWhen(daemon().client, session.id, ({ state }) => state === 'ended')
  const reply = await editor.agent.request(call.prompt, {
    sessionId: session.id,
    prompt: [{ type: 'text', text: 'once more' }],
  })
  expect(reply.stopReason).toBe('end_turn')
  expect(editor.text()).toContain('You said: once more')
  // The editor has shown it itself.
  expect(editor.text('user_message_chunk')).not.toContain('once more')

  editor.clear()
  await editor.agent.request(call.resume, open)
  expect(editor.text()).toBe('')
  await expect(
    editor.agent.request(call.load, { ...open, sessionId: 'ses_01kz5w8qj3v9xkd2m4n6p8r0st' }),
  ).rejects.toMatchObject({ code: -32002 })
}, 60_000)

test('images, files and links reach the agent, and other content is refused', async () => {
  const editor = sharedEditor()
  const { sessionId } = await newSession(editor)
  await writeFile(join(place().cwd, 'b.txt'), 'b')
  await editor.agent.request(call.prompt, {
    sessionId,
    prompt: [
      { type: 'text', text: 'look at' },
      { type: 'resource_link', name: 'b.txt', uri: `file://${join(place().cwd, 'b.txt')}` },
      { type: 'image', mimeType: 'image/png', data: PIXEL },
      { type: 'resource', resource: { uri: 'file:///c.txt', text: 'c' } },
    ],
  })
  const { events } = await daemon().client.listEvents({
    params: { id: sessionId },
    query: { type: 'message.queued' },
  })
  const [queued] = events
  if (queued?.type !== 'message.queued') throw new Error('unreachable')
  expect(queued.data.content?.map(({ type }) => type)).toEqual(['text', 'image', 'document'])
  expect(queued.data.content?.[0]).toEqual({ type: 'text', text: `look at @${join(place().cwd, 'b.txt')}` })
  await expect(
    editor.agent.request(call.prompt, {
      sessionId,
      prompt: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }],
    }),
  ).rejects.toMatchObject({ code: -32602 })
}, 60_000)

test('a token of a viewer reads, and may neither write nor answer', async () => {
  const { secret } = await daemon().client.createToken({ body: { name: 'editor', role: 'viewer' } })
  const tokenFile = join(place().folder, 'viewer-token')
  await writeFile(tokenFile, secret, { mode: 0o600 })
  const { session } = await daemon().client.createSession({ body: { cwd: place().cwd, prompt: 'write it' } })
  const { id } = await pendingRequest(daemon().client, session.id)

  const editor = await openEditor(place(), {}, '--token-file', tokenFile)
  await editor.agent.request(call.load, { sessionId: session.id, cwd: place().cwd, mcpServers: [] })
  expect(editor.ofKind('tool_call')).toHaveLength(1)
  const refused = { code: -32603, data: { code: 'role_insufficient' } }
  await expect(editor.agent.request(call.new, { cwd: place().cwd, mcpServers: [] })).rejects.toMatchObject(
    refused,
  )
  await expect(
    editor.agent.request(call.prompt, { sessionId: session.id, prompt: [{ type: 'text', text: 'x' }] }),
  ).rejects.toMatchObject(refused)
  await expect(editor.agent.request(call.delete, { sessionId: session.id })).rejects.toMatchObject({
    code: -32601,
  })
  expect(editor.dialogs).toEqual([])
  await daemon().client.answerRequest({ params: { id }, body: { decision: 'deny' } })
  await sessionWhen(daemon().client, session.id, ({ state }) => state === 'idle')
  await editor.leave()
}, 60_000)
