/** An editor: the ACP SDK's own client, connected to `signalbox acp` as a process. Records what it is sent. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { expect } from 'vitest'
import { MAIN, type Place } from './daemon-process.js'
import { whenDone } from './when-done.js'

export interface Dialog<Params, Reply> {
  params: Params
  reply(answer: Reply): void
  /** The agent has withdrawn it. */
  isWithdrawn: boolean
}

export interface EditorProcess {
  agent: ClientContext
  child: ChildProcess
  updates: SessionUpdate[]
  dialogs: Dialog<RequestPermissionRequest, RequestPermissionResponse>[]
  forms: Dialog<CreateElicitationRequest, CreateElicitationResponse>[]
  stderr(): string
  /** The text that the agent has written so far. */
  text(kind?: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string
  ofKind<Kind extends SessionUpdate['sessionUpdate']>(
    kind: Kind,
  ): Extract<SessionUpdate, { sessionUpdate: Kind }>[]
  /** The next dialog that is open. */
  dialog(): Promise<Dialog<RequestPermissionRequest, RequestPermissionResponse>>
  form(): Promise<Dialog<CreateElicitationRequest, CreateElicitationResponse>>
  /** Forgets what it was sent, for the next test. */
  clear(): void
  /** Closes its side, and resolves with the exit code of the agent. */
  leave(): Promise<number | null>
}

export const FORMS: ClientCapabilities = { elicitation: { form: {} } }

/** The agent as a process, without a client. */
export function startAcp(
  { home, env, scriptFile }: Place,
  ...words: string[]
): ChildProcess & { text(): string } {
  const child = spawn(process.execPath, [MAIN, 'acp', '--home', home, '--scripted', scriptFile, ...words], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  whenDone(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return Object.assign(child, { text: () => stderr })
}

export async function openEditor(
  place: Place,
  clientCapabilities: ClientCapabilities = {},
  ...words: string[]
): Promise<EditorProcess> {
  const child = startAcp(place, ...words)
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('unreachable')
  const updates: SessionUpdate[] = []
  const dialogs: EditorProcess['dialogs'] = []
  const forms: EditorProcess['forms'] = []
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update)
    })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => ask(dialogs, params, signal))
    .onRequest(methods.client.elicitation.create, ({ params, signal }) => ask(forms, params, signal))
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>))
  const { agent } = connection
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities })
  const isOpen = (one: { isWithdrawn: boolean }) => !one.isWithdrawn
  const next = async <One extends { isWithdrawn: boolean }>(list: One[]): Promise<One> => {
    await expect.poll(() => list.some(isOpen), { timeout: 30_000, interval: 20 }).toBe(true)
    const found = list.find(isOpen)
    if (!found) throw new Error('unreachable')
    return found
  }
  const ofKind: EditorProcess['ofKind'] = (kind) =>
    updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: typeof kind }> =>
        update.sessionUpdate === kind,
    )
  return {
    agent,
    child,
    updates,
    dialogs,
    forms,
    stderr: child.text,
    text: (kind = 'agent_message_chunk') =>
      ofKind(kind)
        .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
        .join(''),
    ofKind,
    dialog: () => next(dialogs),
    form: () => next(forms),
    clear() {
      for (const list of [updates, dialogs, forms]) list.splice(0)
    },
    async leave() {
      const exited = child.exitCode === null ? once(child, 'exit') : null
      stdin.end()
      await exited
      return child.exitCode
    },
  }
}

function ask<Params, Reply>(
  list: Dialog<Params, Reply>[],
  params: Params,
  signal: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const dialog: Dialog<Params, Reply> = {
      params,
      isWithdrawn: false,
      reply(answer) {
        list.splice(list.indexOf(dialog), 1)
        resolve(answer)
      },
    }
    signal.addEventListener('abort', () => {
      dialog.isWithdrawn = true
      reject(new Error('withdrawn'))
    })
    list.push(dialog)
  })
}
