/** The hub's end of a link between two processes: waits at a socket for the runner of this home, one at a time. */

import { timingSafeEqual } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { JailStatus } from '../protocol/jail.js'
import { reason, saying } from '../protocol/reason/reason.js'
import { Hello, type RunnerState, type ToRunner } from './frame.js'
import { FrameChannel } from './frame-channel.js'
import { HubConnection } from './hub-connection.js'
import type { HubEnd } from './memory.js'

/** Limit for a peer that has not shown yet that it knows the key. */
const MAX_HELLO = 64 * 1024

export interface RunnerListenerDeps extends HubEnd {
  /** Of the socket. */
  path: string
  /** The secret that a runner must know. No process of an agent does. */
  key: string
  /** As a runner must have been started: one that was started otherwise, before this hub, is ended. */
  build: string
  secrets: Pick<SecretSet, 'learn'>
  /** A runner is here. Its events, from before as well, come in from now on. */
  onConnected?(): void
  onFault(error: unknown): void
}

export interface RunnerListener {
  readonly jail: JailStatus
  /** Resolves while a runner is connected, or when one is. */
  connected(): Promise<void>
  /** Resolves when the runner that is connected has gone. */
  gone(): Promise<void>
  /** Has the runner end its processes and itself, and waits until it has. */
  endRunner(): Promise<void>
  /** The runner goes on, and looks for the next hub. Idempotent. */
  close(): Promise<void>
}

export async function listenForRunner(deps: RunnerListenerDeps): Promise<RunnerListener> {
  const listener = new SocketListener(deps)
  await listener.listen()
  return listener
}

class SocketListener implements RunnerListener {
  readonly #deps: RunnerListenerDeps
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #current: HubConnection | null = null
  #waiting: (() => void)[] = []
  #onGone: (() => void)[] = []
  jail: JailStatus = { state: 'checking', kind: null, ...saying(reason('jail.checking')) }

  constructor(deps: RunnerListenerDeps) {
    this.#deps = deps
    this.#server = createServer((socket) => this.#accept(socket))
  }

  listen(): Promise<void> {
    const { path } = this.#deps
    // The home is locked: a socket that is there was left by a hub that was killed.
    rmSync(path, { force: true })
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => {
        chmodSync(path, 0o600)
        this.#server.off('error', reject)
        this.#server.on('error', this.#deps.onFault)
        resolve()
      })
    })
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    let connection: HubConnection | null = null
    const channel = new FrameChannel(socket, {
      maxFirstLine: MAX_HELLO,
      onFrame: (frame) => {
        if (connection) return connection.take(frame)
        const hello = this.#readHello(frame)
        if (!hello) return channel.close()
        if (hello.build !== this.#deps.build) return channel.send({ type: 'end' } satisfies ToRunner)
        connection = this.#connect(channel, hello)
      },
      onClose: () => {
        this.#sockets.delete(socket)
        connection?.close()
        if (this.#current !== connection) return
        this.#current = null
        for (const resolve of this.#onGone.splice(0)) resolve()
      },
    })
  }

  #readHello(frame: unknown): Hello | null {
    const hello = Hello.safeParse(frame)
    if (!hello.success) return null
    const [given, own] = [hello.data.key, this.#deps.key].map((key) => Buffer.from(key))
    if (!given || !own || given.length !== own.length || !timingSafeEqual(given, own)) return null
    return hello.data.machine === this.#deps.machine ? hello.data : null
  }

  /** The runner of this home holds a lock: an older connection is one that it has left. */
  #connect(channel: FrameChannel, hello: Hello): HubConnection {
    this.#current?.close()
    const send = (frame: ToRunner) => channel.send(frame)
    const onState = ({ jail }: RunnerState) => {
      this.jail = jail
    }
    const connection = new HubConnection({ ...this.#deps, channel, send, onState }, hello, () => {
      this.#deps.onConnected?.()
      for (const resolve of this.#waiting.splice(0)) resolve()
    })
    this.#current = connection
    return connection
  }

  connected(): Promise<void> {
    if (this.#current?.isServing) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  gone(): Promise<void> {
    if (!this.#current) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onGone.push(resolve)
    })
  }

  async endRunner(): Promise<void> {
    await this.#current?.end()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
  }
}
