/** The runner's end of a link between two processes: finds the hub of its home, and finds it again. */

import { createConnection } from 'node:net'
import type { CommandHandlers } from '../bus/port.js'
import { retryDelay } from '../lib/back-off.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import type { RunnerCommand, RunnerCommandName } from '../protocol/runner-command.js'
import type { Session } from '../protocol/session.js'
import type { StorageProblem } from '../protocol/storage.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import type { Storage, StoredSecret, TrustedWorkspace } from '../store/port.js'
import type { ChildCall, ChildResult } from '../tool/built-in/agent-caller.js'
import { ASK, STORE_METHODS } from './asked.js'
import { errorOf, frameError, LINK_PROTOCOL, type RunnerState, type ToHub, type ToRunner } from './frame.js'
import { FrameChannel } from './frame-channel.js'
import type { HubLink } from './port.js'
import { RemoteJournal } from './remote-journal.js'
import type { Spool } from './spool.js'

const RETRY = { firstMs: 50, maxMs: 1_000 }

export interface RunnerEndDeps {
  path: string
  /** Read at each attempt: a hub that starts may have made another. */
  key(): string
  machine: string
  build: string
  spool: Spool
  clock: Clock
  ids: IdSource
  /** Without a hub for this long, at the start as well, it is to end. Without it: never. */
  leaseMs?: number
  /** Before the user's policy is used; no hub is needed for that. */
  checkPolicy(): Promise<void>
  /** The hub wants it to end. */
  onEnd(): void
  onFault(error: unknown): void
}

export interface RunnerEnd {
  readonly link: HubLink
  /** Shown to clients from now on. */
  tell(state: RunnerState): void
  /** Secrets that the hub redacts. */
  knownSecrets(): Promise<StoredSecret[]>
  /** Resolves when the hub has all that was handed in. */
  flushed(): Promise<void>
  /** The hub keeps what it has, and the spool the rest. Idempotent. */
  close(): void
}

/** Resolves when a hub is there and has what a previous run could not hand in. */
export async function connectToHub(deps: RunnerEndDeps): Promise<RunnerEnd> {
  const end = new SocketEnd(deps)
  await end.connected()
  await end.journal.emptied()
  return end
}

interface Asked {
  frame: ToHub & { type: 'ask' }
  /** Whether it may be asked again of the next hub. */
  isKept: boolean
  onProgress?: (text: string) => void
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Handler = (command: RunnerCommand, signal: AbortSignal) => Promise<unknown>

class SocketEnd implements RunnerEnd {
  readonly #deps: RunnerEndDeps
  readonly journal: RemoteJournal
  readonly link: HubLink
  readonly #asked = new Map<number, Asked>()
  readonly #handlers = new Map<RunnerCommandName, Handler>()
  readonly #running = new Map<number, AbortController>()
  readonly #storage = new RemoteStorage()
  #channel: FrameChannel | null = null
  /** It has said welcome. */
  #isConnected = false
  #waiting: (() => void)[] = []
  /** As it was in force last; null before it is known. */
  #trusted: TrustedWorkspace[] | null = null
  #state: RunnerState | null = null
  #endLease = () => {}
  #lastCall = 0
  #failures = 0
  #isClosed = false

  constructor(deps: RunnerEndDeps) {
    this.#deps = deps
    const store = this.#createStore()
    this.journal = new RemoteJournal({
      ...deps,
      store,
      send: () => this.#sender(),
      waitingBytes: () => this.#channel?.waiting ?? 0,
      askSession: async (id) => {
        const session = await this.#askNow<Session | null>(ASK.snapshot, [id])
        return session === undefined ? null : { session }
      },
      whenConnected: () => this.connected(),
    })
    this.link = {
      machine: deps.machine,
      journal: this.journal,
      store,
      agents: {
        lineageOf: (sessionId) => this.#ask(ASK.lineage, [sessionId]),
        run: (call) => this.#runAgent(call),
      },
      checkPolicy: async () => {
        await deps.checkPolicy()
        // An edit by hand is for the hub to audit.
        await this.#askNow(ASK.checkPolicy, [])
      },
      serve: (handlers) => this.#serve(handlers),
    }
    this.#beginLease()
    this.#connect()
  }

  #connect(): void {
    if (this.#isClosed) return
    const { path, machine, build, spool, key } = this.#deps
    const socket = createConnection(path)
    const channel = new FrameChannel(socket, {
      onFrame: (frame) => this.#take(frame as ToRunner),
      onClose: () => this.#disconnected(),
    })
    this.#channel = channel
    socket.once('connect', () => {
      const after = this.journal.position
      channel.send({
        type: 'hello',
        protocol: LINK_PROTOCOL,
        key: key(),
        machine,
        build,
        spool: spool.id,
        after,
      })
    })
  }

  #disconnected(): void {
    const wasConnected = this.#isConnected
    this.#isConnected = false
    this.#channel = null
    for (const aborter of this.#running.values()) aborter.abort()
    for (const [call, asked] of this.#asked) {
      if (asked.isKept) continue
      this.#asked.delete(call)
      asked.reject(new LinkLost())
    }
    if (wasConnected) this.journal.disconnected()
    if (this.#isClosed) return
    if (wasConnected) this.#beginLease()
    this.#failures += 1
    // It keeps the process alive: there is nothing else to wait for.
    setTimeout(() => this.#connect(), retryDelay(this.#failures, RETRY))
  }

  #beginLease(): void {
    const { clock, leaseMs, onEnd } = this.#deps
    if (leaseMs !== undefined) this.#endLease = clock.after(leaseMs, onEnd)
  }

  tell(state: RunnerState): void {
    this.#state = state
    this.#sender()?.({ type: 'state', state })
  }

  knownSecrets(): Promise<StoredSecret[]> {
    return this.#ask(ASK.secrets, [])
  }

  flushed(): Promise<void> {
    return this.journal.emptied()
  }

  connected(): Promise<void> {
    if (this.#isConnected) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  #sender(): ((frame: ToHub) => void) | null {
    const channel = this.#channel
    return this.#isConnected && channel ? (frame) => channel.send(frame) : null
  }

  #take(frame: ToRunner): void {
    switch (frame.type) {
      case 'welcome':
        return this.#welcome(frame)
      case 'reply':
      case 'failed': {
        const asked = this.#asked.get(frame.call)
        this.#asked.delete(frame.call)
        if (frame.type === 'reply') asked?.resolve(frame.value)
        else asked?.reject(errorOf(frame.error))
        return
      }
      case 'progress':
        return this.#asked.get(frame.call)?.onProgress?.(frame.text)
      case 'command':
        return this.#run(frame.call, frame.command)
      case 'abort':
        return this.#running.get(frame.call)?.abort()
      case 'storage':
        return this.#storage.set(frame.problem)
      case 'end':
        return this.#deps.onEnd()
      default:
        return this.journal.take(frame)
    }
  }

  #welcome({ position, lastN, problem }: ToRunner & { type: 'welcome' }): void {
    this.#isConnected = true
    this.#failures = 0
    this.#endLease()
    this.#storage.set(problem)
    const send = this.#sender()
    if (!send) return
    this.journal.connected({ position, lastN }, send)
    if (this.#state) send({ type: 'state', state: this.#state })
    for (const { frame } of this.#asked.values()) send(frame)
    const names = [...this.#handlers.keys()]
    if (names.length > 0) send({ type: 'serve', names })
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #ask<Value>(what: string, input: unknown[], more: Partial<Asked> = {}): Promise<Value> {
    const call = (this.#lastCall += 1)
    return new Promise<Value>((resolve, reject) => {
      const frame = { type: 'ask' as const, call, what, input }
      // The answer is what the hub's function of this name resolves with.
      const settle = { resolve: (value: unknown) => resolve(value as Value), reject }
      this.#asked.set(call, { isKept: true, ...more, frame, ...settle })
      this.#sender()?.(frame)
    })
  }

  /** Undefined where no hub is there, or it goes away before it has answered. */
  async #askNow<Value>(what: string, input: unknown[]): Promise<Value | undefined> {
    if (!this.#isConnected) return undefined
    try {
      return await this.#ask<Value>(what, input, { isKept: false })
    } catch (error) {
      if (error instanceof LinkLost) return undefined
      throw error
    }
  }

  #createStore(): RunnerStore {
    const methods = Object.fromEntries(
      STORE_METHODS.map((name) => [name, (...input: unknown[]) => this.#ask(name, input)]),
    ) as Pick<RunnerStore, (typeof STORE_METHODS)[number]> // Each asks the method of its name.
    return {
      ...methods,
      storage: this.#storage,
      addSecrets: (id, values, source) => this.journal.addSecrets(id, values, source),
      // Each call is judged by it: without a hub, by what was in force last.
      trustedWorkspaces: async () => {
        this.#trusted = (await this.#askNow<TrustedWorkspace[]>('trustedWorkspaces', [])) ?? this.#trusted
        this.#trusted ??= await methods.trustedWorkspaces()
        return this.#trusted
      },
    }
  }

  async #runAgent({ signal, onProgress, ...call }: ChildCall): Promise<ChildResult> {
    await this.connected()
    const id = this.#lastCall + 1
    const abort = () => this.#sender()?.({ type: 'abort', call: id })
    const result = this.#ask<ChildResult>(ASK.runAgent, [call], { isKept: false, onProgress })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    try {
      return await result
    } catch (error) {
      if (!(error instanceof LinkLost)) throw error
      throw new HubError(
        'session_not_driven',
        'Signalbox was restarted while the agent ran, and has stopped it. It may have taken effect.',
      )
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  #serve(handlers: Partial<CommandHandlers>): () => void {
    const own = Object.entries(handlers) as [RunnerCommandName, Handler][] // Registered under the names of their commands.
    for (const [name, handle] of own) this.#handlers.set(name, handle)
    const names = own.map(([name]) => name)
    this.#sender()?.({ type: 'serve', names })
    return () => {
      const gone = own.filter(([name, handle]) => this.#handlers.get(name) === handle).map(([name]) => name)
      for (const name of gone) this.#handlers.delete(name)
      this.#sender()?.({ type: 'leave', names: gone })
    }
  }

  #run(call: number, command: RunnerCommand): void {
    const aborter = new AbortController()
    this.#running.set(call, aborter)
    const handle = this.#handlers.get(command.type)
    const channel = this.#channel
    const answer = (frame: ToHub) => {
      this.#running.delete(call)
      channel?.send(frame)
    }
    if (!handle)
      return answer({
        type: 'failed',
        call,
        error: { message: 'The runner is ending.', code: 'session_not_driven' },
      })
    handle(command, aborter.signal).then(
      (value) => answer({ type: 'reply', call, value }),
      (error: unknown) => answer({ type: 'failed', call, error: frameError(error) }),
    )
  }

  close(): void {
    this.#isClosed = true
    this.#endLease()
    this.#channel?.close()
    this.#channel = null
  }
}

/** The hub has gone before it has answered. */
class LinkLost extends Error {}

/** Whether the hub can write. It retries itself; here only the problem is known. */
class RemoteStorage implements Storage {
  #problem: StorageProblem | null = null
  readonly #listeners = new Set<(problem: StorageProblem | null) => void>()

  get problem(): StorageProblem | null {
    return this.#problem
  }

  set(problem: StorageProblem | null): void {
    if (problem === this.#problem) return
    this.#problem = problem
    for (const listener of this.#listeners) listener(problem)
  }

  onChange(listener: (problem: StorageProblem | null) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  nextTry(): Promise<void> | null {
    if (this.#problem === null) return null
    return new Promise((resolve) => {
      const leave = this.onChange((problem) => {
        if (problem !== null) return
        leave()
        resolve()
      })
    })
  }

  block(): void {}
  unblock(): void {}
  giveUpAfter(): void {}
}
