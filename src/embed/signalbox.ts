/** Signalbox inside a program: the same sessions, inbox and log as the daemon's, without a server. */

import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.js'
import { homePath } from '../home.js'
import type { Hub } from '../hub/port.js'
import type { CreateSession, ResumeSession } from '../protocol/api-body.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { Answer, InboxRequest, RequestTimeouts } from '../protocol/request.js'
import type { Session as Snapshot } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import { openRuntime, type Runtime, type RuntimeOptions } from '../runtime/runtime.js'
import type { ToolRegistry } from '../tool/registry.js'
import type { Tool } from '../tool/tool.js'
import { follow } from './follow.js'
import { Session } from './session.js'

export interface SignalboxOptions {
  /** Where everything is kept. Without it: `SIGNALBOX_HOME`, or `~/.signalbox`. One process at a time. */
  home?: string
  /** Over the variables and the file in the home. */
  config?: Partial<Config>
  /** `true`: the scripted model with its own script; a path: with this one. Without it: only if there is no account. */
  scripted?: true | string
  env?: Readonly<Record<string, string | undefined>>
  /** Tools for agents besides the built-in ones. */
  tools?: Iterable<Tool>
  /** The actor's name in the log. Default: the user of this process. */
  who?: string
  /** Called with errors that have no other receiver. */
  onFault?(error: unknown): void
}

/** Settings of one session, for as long as the runtime is open. */
export interface OwnOfSession {
  /** Besides those of the runtime; one that is called like another replaces it. */
  tools?: Iterable<Tool>
  /** In place of those of the configuration. */
  timeouts?: RequestTimeouts
}

export interface Signalbox extends AsyncDisposable {
  readonly home: string
  readonly model: Runtime['model']
  /** More can be added; sessions that start afterwards have them. */
  readonly tools: ToolRegistry
  readonly sessions: {
    create(command: CreateSession, own?: OwnOfSession): Promise<Session>
    /** By our id; streams begin with what is new. */
    get(id: string): Promise<Session>
    /** In place of those that it was given before; from its next process on, and for calls of tools that it has. */
    giveTools(id: string, tools: Iterable<Tool>): void
    /** For requests that it raises from now on. */
    setTimeouts(id: string, timeouts: RequestTimeouts): void
    list(filter?: Parameters<Hub['sessions']>[0]): Promise<Snapshot[]>
    /** Resumes a session by our id, or a conversation by Claude's. */
    resume(id: string, command?: ResumeSession): Promise<Session>
  }
  readonly inbox: {
    /** Pending requests, oldest first. */
    pending(): Promise<InboxRequest[]>
    request(id: string): Promise<InboxRequest>
    answer(id: string, answer: Answer): Promise<InboxRequest>
  }
  /** Everything that happens from now on, or after a position, in all sessions. */
  events(options?: { after?: number }): AsyncGenerator<SessionEvent | Delta>
  /** Lets what a folder brings along (settings, servers, hooks) act in its sessions. */
  trust(folder: string): Promise<void>
  /** Ends every process. Sessions stay, and can be resumed. */
  close(): Promise<void>
}

export function createSignalbox(options: SignalboxOptions = {}): Promise<Signalbox> {
  return openSignalbox(options)
}

/** With what only the other library faces choose. */
export async function openSignalbox(
  options: SignalboxOptions,
  more: Pick<RuntimeOptions, 'logsCallerIds'> = {},
): Promise<Signalbox> {
  const { env = process.env, scripted = null, onFault = warn } = options
  const home = homePath(options.home, env)
  const config = readConfig(home, options.config ?? {}, env)
  const { tools = [] } = options
  return wrap(await openRuntime({ home, config, scripted, env, tools, onFault, ...more }), {
    who: options.who ?? userInfo().username,
    via: 'library',
  })
}

/** A home of a part of a program, so that it never stands in the way of a daemon. */
export function homeOf({ home, env = process.env }: SignalboxOptions, part: string): string {
  return home ?? join(homePath(undefined, env), part)
}

function wrap(runtime: Runtime, actor: Actor): Signalbox {
  const { hub, home, model, tools } = runtime
  const handle = ({ id, lastSeq }: Snapshot) => new Session(id, lastSeq, hub, actor)
  const close = () => runtime.close()
  return {
    home: home.path,
    model,
    tools,
    sessions: {
      async create({ prompt, ...command }, { tools: own, timeouts } = {}) {
        if (!own && !timeouts && !command.continue)
          return new Session((await hub.createSession({ ...command, prompt }, actor)).id, 0, hub, actor)
        // Its own tools and timeouts must be in place before its first message starts a process.
        const created = await hub.createSession(command, actor)
        if (own) runtime.sessionTools.give(created.id, own)
        if (timeouts) runtime.setTimeouts(created.id, timeouts)
        // A resumed conversation is streamed from here, not from its beginning.
        const session = command.continue ? handle(created) : new Session(created.id, 0, hub, actor)
        if (prompt !== undefined) await session.send(prompt)
        return session
      },
      get: async (id) => handle(await hub.session(id)),
      list: (filter = {}) => hub.sessions(filter),
      giveTools: (id, own) => runtime.sessionTools.give(id, own),
      setTimeouts: (id, timeouts) => runtime.setTimeouts(id, timeouts),
      resume: async (id, command = {}) => handle(await hub.resume(id, command, actor)),
    },
    inbox: {
      pending: () => hub.inbox.requests({ state: 'pending' }),
      request: (id) => hub.inbox.request(id),
      answer: (id, answer) => hub.inbox.answer(id, answer, actor),
    },
    events: (from = {}) => follow(hub.journal, from),
    trust: async (folder) => void (await hub.trust(folder, actor)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Where a program has named no place for faults. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'SignalboxWarning')
}
