/** One session that is open in an editor: its events become updates, its requests dialogs, and prompts wait for their turns. */

import { randomUUID } from 'node:crypto'
import { type AgentContext, methods, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk'
import type { OfferedCommand, OfferedModel } from '../../protocol/compose/offer.js'
import { HubError } from '../../protocol/error.js'
import type { Delta, SessionEvent } from '../../protocol/event/event.js'
import { applyToRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import type { ContentBlock } from '../../protocol/value.js'
import { applyEvent } from '../../protocol/view/view.js'
import { Dialogs } from './dialogs.js'
import type { Plane } from './plane.js'
import { configOf, modesOf } from './settings.js'
import { textContent } from './tool-call.js'
import { Turns } from './turns.js'
import { Updates } from './updates.js'

export interface OpenSessionOptions {
  plane: Plane
  editor: AgentContext
  session: Session
  hasForms: boolean
  hasNotices: boolean
  log(message: string): void
}

export class OpenSession {
  readonly id: string
  readonly #options: OpenSessionOptions
  readonly #updates: Updates
  readonly #dialogs: Dialogs
  readonly #turns: Turns
  readonly #closed = new AbortController()
  /** Messages of this editor whose event has not arrived. */
  readonly #own = new Set<string>()
  /** Messages that are being sent: whether a queued one is of this editor is known only afterwards. */
  readonly #sending = new Set<Promise<unknown>>()
  #session: Session
  #models: readonly OfferedModel[] = []
  #commands = ''
  #cancelling: Promise<void> | null = null

  constructor(options: OpenSessionOptions) {
    const { plane, editor, session, hasForms, hasNotices, log } = options
    this.#options = options
    this.#session = session
    this.id = session.id
    this.#turns = new Turns(session.turn?.id ?? null, session.pendingRequests)
    this.#updates = new Updates({ cwd: session.cwd, isOwn: (id) => this.#own.delete(id), hasNotices })
    this.#dialogs = new Dialogs({
      plane,
      editor,
      cwd: session.cwd,
      hasForms,
      onProblem: ({ id, toolUseId }, problem) => {
        log(`${id}: ${problem}`)
        if (toolUseId === null) return
        const content = [textContent(problem)]
        void this.#send({ sessionUpdate: 'tool_call_update', toolCallId: toolUseId, content }).catch(() => {})
      },
    })
  }

  get isPrompted(): boolean {
    return !this.#turns.isEmpty || this.#sending.size > 0
  }

  /** Settings, for the replies that open a session. */
  get settings() {
    const { role } = this.#options.plane
    return { modes: modesOf(this.#session, role), configOptions: configOf(this.#session, this.#models, role) }
  }

  /** Follows it from here on; with `isReplayed` from its beginning, and resolves when the past has been sent. */
  async open(isReplayed: boolean): Promise<void> {
    await this.#readOffers()
    await this.#follow(isReplayed)
    await this.#sendCommands()
    for (const id of this.#session.pendingRequests) {
      const { request } = await this.#client.getRequest({ params: { id } })
      if (request.state === 'pending') this.#dialogs.open(request)
    }
  }

  async prompt(content: ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const { plane } = this.#options
    const params = { id: this.id }
    if (this.#session.state === 'ended')
      await plane.call(() => this.#client.resumeSession({ params, body: {} }))
    const [first] = content
    const idempotencyKey = randomUUID()
    const body =
      content.length === 1 && first?.type === 'text'
        ? { text: first.text, idempotencyKey }
        : { content, idempotencyKey }
    const onCancel = () => void this.cancel()
    signal.addEventListener('abort', onCancel)
    try {
      let ending: Promise<StopReason> | undefined
      await this.#while(async () => {
        const { messageId } = await plane.call(() => this.#client.sendMessage({ params, body }), {
          signal: this.#closed.signal,
        })
        this.#own.add(messageId)
        ending = this.#turns.add(messageId)
      })
      if (signal.aborted) onCancel()
      return (await ending) ?? 'cancelled'
    } finally {
      signal.removeEventListener('abort', onCancel)
    }
  }

  /** Interrupts the running turn. Once at a time: an editor may ask for it often. */
  cancel(): Promise<void> {
    this.#cancelling ??= this.#cancel().finally(() => {
      this.#cancelling = null
    })
    return this.#cancelling
  }

  async change(change: Parameters<Plane['client']['changeSession']>[0]['body']): Promise<void> {
    const { plane } = this.#options
    const { session } = await plane.call(() =>
      this.#client.changeSession({ params: { id: this.id }, body: change }),
    )
    this.#session = { ...this.#session, ...settingsOf(session) }
  }

  /** Leaves it: it goes on without this editor. */
  close(
    reason: unknown = new HubError('session_not_driven', 'The session was closed in this editor.'),
  ): void {
    this.#closed.abort()
    this.#dialogs.close()
    this.#turns.failAll(reason)
  }

  get #client() {
    return this.#options.plane.client
  }

  async #cancel(): Promise<void> {
    await Promise.allSettled(this.#sending)
    this.#turns.isCancelled = true
    const { signal } = this.#closed
    await this.#options.plane
      .call(() => this.#client.interruptSession({ params: { id: this.id }, body: {} }), { signal })
      .catch((error: unknown) => this.#options.log(`Cannot interrupt ${this.id}: ${String(error)}`))
  }

  async #while(work: () => Promise<void>): Promise<void> {
    const sending = work()
    this.#sending.add(sending)
    await sending.finally(() => this.#sending.delete(sending))
  }

  /** Resolves when everything that had happened before has been sent. */
  #follow(isReplayed: boolean): Promise<void> {
    const { signal } = this.#closed
    const { lastSeq } = this.#session
    let caughtUp = () => {}
    const past = new Promise<void>((resolve) => {
      caughtUp = resolve
    })
    const run = async () => {
      const events = this.#client.events({
        sessionId: this.id,
        after: isReplayed ? 0 : lastSeq,
        signal,
        onGap: ({ next }) => {
          if (next > lastSeq) caughtUp()
        },
      })
      if (!isReplayed) caughtUp()
      for await (const { event } of events) {
        await this.#apply(event, lastSeq)
        if ('seq' in event && event.seq >= lastSeq) caughtUp()
      }
    }
    const following = run().catch((error: unknown) => {
      if (signal.aborted) return
      this.#options.log(`Cannot follow ${this.id}: ${error instanceof Error ? error.message : String(error)}`)
      this.close(error)
      throw error
    })
    following.catch(() => {})
    return Promise.race([past, following])
  }

  async #apply(event: SessionEvent | Delta, lastSeq: number): Promise<void> {
    if (event.type === 'message.queued') await Promise.allSettled(this.#sending)
    for (const update of this.#updates.after(event)) await this.#send(update)
    // Of the past is known what became of it.
    if ('seq' in event && event.seq <= lastSeq) return
    this.#session = applyEvent(this.#session, event) ?? this.#session
    await this.#applyNew(event)
    this.#turns.apply(event)
  }

  async #applyNew(event: SessionEvent | Delta): Promise<void> {
    switch (event.type) {
      case 'permission.requested':
      case 'question.requested': {
        const request = applyToRequest(null, event)
        if (request) this.#dialogs.open(request)
        return
      }
      case 'permission.resolved':
      case 'question.resolved':
        this.#dialogs.settle(event.data.requestId)
        return
      case 'session.started':
        // Not awaited: the turn goes on meanwhile.
        void this.#refresh()
        return
      case 'session.changed': {
        const { permissionMode, model, effort, title, summary } = event.data
        if (permissionMode !== undefined)
          await this.#send({ sessionUpdate: 'current_mode_update', currentModeId: permissionMode })
        if (permissionMode !== undefined || model !== undefined || effort !== undefined)
          await this.#sendSettings()
        if (title !== undefined || summary !== undefined) await this.#sendName()
        return
      }
      case 'turn.ended':
        await this.#sendUsage()
        return this.#sendName()
      case 'session.ended':
        return this.#dialogs.close()
      default:
    }
  }

  #send(update: SessionUpdate): Promise<void> {
    return this.#options.editor.notify(methods.client.session.update, { sessionId: this.id, update })
  }

  async #sendUsage(): Promise<void> {
    const { contextTokens, modelUsage, model, costUsd } = this.#session
    const windows = Object.entries(modelUsage).flatMap(([name, { contextWindow }]) =>
      contextWindow === null ? [] : [{ name, contextWindow }],
    )
    const own = windows.find(({ name }) => name === model) ?? windows[0]
    if (contextTokens === null || !own) return
    await this.#send({
      sessionUpdate: 'usage_update',
      used: contextTokens,
      size: own.contextWindow,
      cost: { amount: costUsd, currency: 'USD' },
    })
  }

  #sendName(): Promise<void> {
    const { name, updatedAt } = this.#session
    return this.#send({ sessionUpdate: 'session_info_update', title: name, updatedAt })
  }

  #sendSettings(): Promise<void> {
    return this.#send({ sessionUpdate: 'config_option_update', configOptions: this.settings.configOptions })
  }

  /** A process has reported what it offers. */
  async #refresh(): Promise<void> {
    try {
      await this.#readOffers()
      await this.#sendCommands()
      await this.#sendSettings()
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#options.log(`Cannot read models and commands: ${String(error)}`)
    }
  }

  /** Not for viewers: what can be chosen says what a project is about. */
  async #readOffers(): Promise<void> {
    if (this.#options.plane.role === 'viewer') return
    this.#models = (await this.#client.listModels()).models
  }

  async #sendCommands(): Promise<void> {
    if (this.#options.plane.role === 'viewer') return
    const { commands } = await this.#client.listCommands({ query: { sessionId: this.id } })
    const text = JSON.stringify(commands)
    if (text === this.#commands) return
    this.#commands = text
    await this.#send({
      sessionUpdate: 'available_commands_update',
      availableCommands: commands.map(commandOf),
    })
  }
}

function commandOf({ name, description, argumentHint }: OfferedCommand) {
  return { name, description, ...(argumentHint !== '' && { input: { hint: argumentHint } }) }
}

function settingsOf({ permissionMode, model, effort }: Session) {
  return { permissionMode, model, effort }
}
