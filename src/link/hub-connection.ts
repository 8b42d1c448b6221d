/** One connection of a runner, as the hub sees it: takes events, answers questions, passes commands on. */

import { AppendRefused } from '../journal/journal.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import { HubError } from '../protocol/error.js'
import type { RunnerCommand, RunnerCommandName } from '../protocol/runner-command.js'
import { isStorageProblem } from '../protocol/storage.js'
import { storeOfMachine } from '../store/port/runner-store.js'
import type { ChildCall } from '../tool/built-in/agent-caller.js'
import { ASK, STORE_METHODS, type StoreMethod } from './asked.js'
import {
  errorOf,
  frameError,
  type Hello,
  type Kept,
  type RunnerState,
  type ToHub,
  type ToRunner,
} from './frame.js'
import type { FrameChannel } from './frame-channel.js'
import type { HubEnd } from './memory.js'

/** Backpressure: events wait in the store for a runner that reads slowly. */
const MAX_WAITING_BYTES = 8 << 20

export interface HubConnectionDeps extends HubEnd {
  channel: FrameChannel
  send(frame: ToRunner): void
  secrets: Pick<SecretSet, 'learn'>
  onState(state: RunnerState): void
  onFault(error: unknown): void
}

interface Call {
  resolve(value: unknown): void
  reject(error: unknown): void
}

export class HubConnection {
  readonly #deps: HubConnectionDeps
  readonly #machine: string
  readonly #calls = new Map<number, Call>()
  readonly #asked = new Map<number, AbortController>()
  readonly #served = new Map<RunnerCommandName, () => void>()
  readonly #onServing: () => void
  #leave: (() => void)[] = []
  #epoch: number | null = null
  /** Frames that came before it was known how the runner's numbers continue. */
  #early: ToHub[] = []
  /** Numbers that were taken before, until the feed has caught up; null while it has. */
  #repeated: number[] | null = []
  /** A group could not be stored now. Later ones are not taken: their numbers would pass by the missing one. */
  #isHeld = false
  #lastCall = 0
  #onClosed: () => void = () => {}
  #isClosed = false

  /** `onServing`: the runner takes commands from now on. */
  constructor(deps: HubConnectionDeps, hello: Hello, onServing: () => void) {
    this.#deps = deps
    this.#machine = hello.machine
    this.#onServing = onServing
    this.#begin(hello).catch((error: unknown) => {
      deps.onFault(error)
      deps.channel.close()
    })
  }

  get isServing(): boolean {
    return this.#served.size > 0
  }

  async #begin({ spool, after }: Hello): Promise<void> {
    const { store, journal, send, channel } = this.#deps
    const { epoch, lastN } = await store.joinMachine(this.#machine, spool)
    const position = await store.lastPosition()
    if (this.#isClosed) return
    this.#epoch = epoch
    send({ type: 'welcome', epoch, lastN, position, problem: store.storage.problem })
    const subscription = journal.subscribe({
      after: after ?? position,
      deliver: (items) => {
        const stored = items.filter((item) => item.position !== undefined)
        if (stored.length > 0) send({ type: 'feed', items: stored })
      },
      isFull: () => {
        const isFull = channel.waiting > MAX_WAITING_BYTES
        if (isFull) this.#repeated ??= []
        return isFull
      },
      onLive: () => {
        for (const n of this.#repeated ?? []) send({ type: 'repeated', n })
        this.#repeated = null
      },
      ready: () => channel.drained(),
      onError: (error) => {
        this.#deps.onFault(error)
        channel.close()
      },
    })
    this.#leave.push(
      () => subscription.close(),
      store.storage.onChange((problem) => send({ type: 'storage', problem })),
    )
    for (const frame of this.#early.splice(0)) this.#take(frame)
  }

  /** Both sides are of one build (`hello`), and the runner knows the key: its frames are as it made them. */
  take(frame: unknown): void {
    if (this.#epoch === null) this.#early.push(frame as ToHub)
    else this.#take(frame as ToHub)
  }

  #take(frame: ToHub): void {
    switch (frame.type) {
      case 'state':
        return this.#deps.onState(frame.state)
      case 'append':
        return this.#append(frame)
      case 'secrets':
        return this.#learn(frame)
      case 'delta':
        return this.#deps.journal.publish(frame.sessionId, frame.draft)
      case 'ask':
        return this.#answer(frame.call, frame.what, frame.input)
      case 'abort':
        return this.#asked.get(frame.call)?.abort()
      case 'serve':
        return this.#serve(frame.names)
      case 'leave':
        for (const name of frame.names) this.#unserve(name)
        return
      case 'reply':
        this.#calls.get(frame.call)?.resolve(frame.value)
        return void this.#calls.delete(frame.call)
      case 'failed':
        this.#calls.get(frame.call)?.reject(errorOf(frame.error))
        return void this.#calls.delete(frame.call)
      default:
        return this.#deps.channel.close()
    }
  }

  /** Stored events come back in the feed; only a group that is not stored has a frame of its own. */
  #append({ n, sessionId, drafts, options }: Kept & { type: 'append' }): void {
    if (this.#isHeld) return
    const { journal, send } = this.#deps
    const from = { machine: this.#machine, epoch: this.#epoch ?? 0, n }
    const ids = drafts.map(({ id }) => id)
    const plain = drafts.map(({ id: _id, at: _at, ...draft }) => draft)
    const at = drafts.map((draft) => draft.at)
    // At once: a fragment that follows is to be published behind it.
    journal.append(sessionId, plain, { ...options, ids, from, at }).catch((error: unknown) => {
      if (!(error instanceof AppendRefused)) return this.#unstored(n, error)
      if (error.why.kind !== 'repeated') return send({ type: 'refused', n, why: error.why })
      return this.#repeated ? void this.#repeated.push(n) : send({ type: 'repeated', n })
    })
  }

  /** A group that the disk does not take now is sent again, with all later ones, once the disk takes writes. */
  #unstored(n: number, error: unknown): void {
    const { send, onFault } = this.#deps
    if (!isStorageProblem(error)) return send({ type: 'unstorable', n, message: frameError(error).message })
    if (this.#isHeld) return
    this.#isHeld = true
    this.#whenStoring().catch(onFault)
  }

  async #whenStoring(): Promise<void> {
    const { store, channel } = this.#deps
    for (let next = store.storage.nextTry(); next; next = store.storage.nextTry()) await next
    channel.close()
  }

  /** Learned at once, before the events that may hold them are taken. */
  #learn({ n, sessionId, values, source }: Kept & { type: 'secrets' }): void {
    const { store, secrets, send, onFault } = this.#deps
    secrets.learn(values, source)
    store
      .addSecrets(sessionId, values, source)
      .then(() => send({ type: 'done', n }))
      .catch((error: unknown) => {
        onFault(error)
        this.#unstored(n, error)
      })
  }

  #answer(call: number, what: string, input: unknown[]): void {
    const { send } = this.#deps
    const aborter = new AbortController()
    this.#asked.set(call, aborter)
    this.#look(call, what, input, aborter.signal)
      .then(
        (value) => send({ type: 'reply', call, value }),
        (error: unknown) => send({ type: 'failed', call, error: frameError(error) }),
      )
      .finally(() => this.#asked.delete(call))
  }

  async #look(call: number, what: string, input: unknown[], signal: AbortSignal): Promise<unknown> {
    const { journal, agents, checkPolicy, send, store } = this.#deps
    const [first] = input
    if (what === ASK.snapshot) return journal.session(String(first))
    if (what === ASK.checkPolicy) return checkPolicy()
    if (what === ASK.secrets) return store.secrets()
    if (what === ASK.lineage) return agents.lineageOf(String(first))
    if (what === ASK.runAgent) {
      const onProgress = (text: string) => send({ type: 'progress', call, text })
      return agents.run({ ...(first as ChildCall), signal, onProgress })
    }
    const method = STORE_METHODS.find((name) => name === what)
    if (!method) throw new HubError('internal_error', `A runner has asked for ${what}, which is not known.`)
    const answers = storeOfMachine(store, this.#machine) as Record<
      StoreMethod,
      (...input: unknown[]) => Promise<unknown>
    > // The names are those of the methods, and the input is as the runner's own store types it.
    return answers[method](...input.map((value) => value ?? undefined))
  }

  #serve(names: readonly RunnerCommandName[]): void {
    const isFirst = this.#served.size === 0
    for (const name of names) {
      const handler = (command: RunnerCommand, signal: AbortSignal) => this.#call(command, signal)
      const handlers: Record<string, typeof handler> = { [name]: handler }
      this.#served.set(name, this.#deps.bus.serve(handlers))
    }
    if (isFirst && names.length > 0) this.#onServing()
  }

  #unserve(name: RunnerCommandName): void {
    this.#served.get(name)?.()
    this.#served.delete(name)
  }

  #call(command: RunnerCommand, signal: AbortSignal): Promise<unknown> {
    const { send } = this.#deps
    const call = (this.#lastCall += 1)
    const abort = () => send({ type: 'abort', call })
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject })
      send({ type: 'command', call, command })
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
    }).finally(() => signal.removeEventListener('abort', abort))
  }

  /** Resolves when the runner has gone. */
  async end(): Promise<void> {
    if (this.#isClosed) return
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve
    })
    this.#deps.send({ type: 'end' })
    await closed
  }

  /** Idempotent. Agents that were run for the runner are stopped: their results would reach no caller. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#deps.channel.close()
    for (const leave of this.#leave.splice(0)) leave()
    for (const name of this.#served.keys()) this.#unserve(name)
    for (const aborter of this.#asked.values()) aborter.abort()
    const gone = new HubError(
      'session_not_driven',
      'The runner has gone, for example during a restart. Retry.',
    )
    for (const { reject } of this.#calls.values()) reject(gone)
    this.#calls.clear()
    this.#onClosed()
  }
}
