/** Runs the agents that agents call: a child session for each call, linked to its parent, ended when the call ends. */

import type { Bus } from '../bus/port.js'
import type { Journal, Published } from '../journal/journal.js'
import type { IdSource } from '../lib/id.js'
import type { Agents } from '../protocol/agent.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft } from '../protocol/event/event.js'
import { reason as codedReason, type Reason, saying } from '../protocol/reason/reason.js'
import type { Session } from '../protocol/session.js'
import type { Completion, Outcome, PermissionMode, WhenBusy } from '../protocol/value.js'
import { describeCall } from '../protocol/view/describe.js'
import { previewOf } from '../protocol/view/preview.js'
import type { Store } from '../store/port.js'
import type { AgentPort, ChildCall, ChildResult } from '../tool/built-in/agent-caller.js'
import { lineageOf } from './lineage.js'
import { createMessages } from './messages.js'
import type { HubDeps } from './port.js'
import { createSessions } from './sessions.js'
import { stopSession } from './stop-session.js'

export interface AgentCallsDeps {
  journal: Journal
  store: Store
  bus: Bus
  ids: IdSource
  agents: Agents
  whenBusy: WhenBusy
  /** Our own home, under each of its names. */
  ownHomes: readonly string[]
  learnSecrets: HubDeps['learnSecrets']
  onFault(error: unknown): void
}

const MAX_PREVIEW = 400

export interface AgentCalls extends AgentPort {
  /** Waits for calls in flight, whose results are still to be recorded. Idempotent. */
  close(): Promise<void>
}

export function createAgentCalls(deps: AgentCallsDeps): AgentCalls {
  const { journal, bus, onFault } = deps
  const sessions = createSessions({ ...deps, messages: createMessages(deps), worktrees: null })
  const running = new Set<Promise<unknown>>()

  async function run(call: ChildCall): Promise<ChildResult> {
    const parent = await journal.session(call.parentId)
    const atMost = (await approvedMode(call)) ?? parent?.permissionMode ?? 'plan'
    const by = { who: parent?.agent ?? 'agent', via: 'agent' } as const
    const sessionId = await sessions.createChild({ ...call, atMost }, by)
    await journal.append(call.parentId, [started(sessionId, call)])
    const result = await follow(sessionId, call)
    const session = await journal.session(sessionId)
    if (session?.state !== 'ended') await endSession(sessionId, result.outcome, codedReason('end.task'))
    const { outcome, text } = result
    const data = { agentId: sessionId, outcome, ...(text && { text: previewOf(text, MAX_PREVIEW) }) }
    await journal.append(call.parentId, [{ type: 'agent.ended', data }])
    return result
  }

  /** The freer mode in which an admin has allowed this very call to start its agent; null without such an approval. */
  async function approvedMode({ parentId, parentToolUseId }: ChildCall): Promise<PermissionMode | null> {
    if (parentToolUseId === null) return null
    const requests = await deps.store.requests({ sessionId: parentId, state: 'resolved' })
    const asked = requests.findLast(({ toolUseId }) => toolUseId === parentToolUseId)
    const { by, decision } = asked?.resolution ?? {}
    return by === 'person' && decision !== undefined && decision !== 'deny'
      ? (asked?.freerMode ?? null)
      : null
  }

  /** Resolves when the child has nothing left to do, has failed, or was stopped. */
  function follow(sessionId: string, { signal, onProgress, cwd }: ChildCall): Promise<ChildResult> {
    return new Promise((resolve) => {
      const state = new ChildState(sessionId)
      const finish = (result: ChildResult) => {
        subscription.close()
        signal.removeEventListener('abort', stop)
        resolve(result)
      }
      const stop = () => {
        endSession(sessionId, 'interrupted', codedReason('end.caller'))
          .catch(onFault)
          .finally(() => finish(state.result('interrupted', 'its caller was stopped')))
      }
      const subscription = journal.subscribe({
        sessionId,
        after: 0,
        onError: (error) =>
          finish(state.result('failed', error instanceof Error ? error.message : 'unknown')),
        deliver(items) {
          for (const item of items) {
            const progress = progressOf(item, cwd)
            if (progress !== null) onProgress(progress)
            state.apply(item)
          }
          if (state.hasEnded) finish(state.result())
          else if (state.mayRest) whenResting().catch(onFault)
        },
      })
      // A turn has ended; a background task may start another.
      const whenResting = async () => {
        const session = await journal.session(sessionId)
        if (session && isResting(session) && state.mayRest) finish(state.result())
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  }

  async function endSession(sessionId: string, outcome: Outcome, why: Reason): Promise<void> {
    try {
      await stopSession({ journal, bus }, sessionId, { ...saying(why), outcome })
    } catch (error) {
      if (!(error instanceof HubError && error.code === 'session_not_driven')) throw error
      // Everything is being stopped, and its process with it.
      await journal.append(sessionId, [{ type: 'session.ended', data: { outcome, ...saying(why) } }])
    }
  }

  return {
    lineageOf: (sessionId) => lineageOf(sessionId, deps),
    run(call) {
      const result = run(call)
      const settled = result.catch(() => {}).finally(() => running.delete(settled))
      running.add(settled)
      return result
    },
    async close() {
      await Promise.all(running)
    },
  }
}

/** State of a child while it works. */
class ChildState {
  readonly #sessionId: string
  #turn: DataOf<'turn.ended'> | null = null
  #completion: Completion | null = null
  #text: string | null = null
  #failure: string | null = null
  #end: DataOf<'session.ended'> | null = null
  #costUsd = 0
  mayRest = false

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  apply({ event }: Published): void {
    switch (event.type) {
      case 'turn.started':
        this.mayRest = false
        return
      case 'turn.ended':
        this.#turn = event.data
        this.#costUsd += event.data.costUsd ?? 0
        this.mayRest = true
        return
      case 'completion.recorded':
        this.#completion = event.data
        return
      case 'text.ended':
        if (event.data.agentId === undefined && event.data.parentToolUseId === undefined)
          this.#text = event.data.text
        return
      case 'error.raised':
        this.#failure = event.data.message
        return
      // Only a process that could not be started cancels its messages.
      case 'message.cancelled':
        this.mayRest = true
        return
      case 'session.ended':
        this.#end = event.data
        return
      default:
    }
  }

  /** `outcome` and `reason` where they are known better than from the log. */
  result(outcome?: Outcome, reason?: string): ChildResult {
    const own = outcome ?? this.#outcome()
    return {
      sessionId: this.#sessionId,
      outcome: own,
      text: this.#completion?.result ?? (this.#turn?.text || this.#text),
      costUsd: this.#costUsd,
      reason: own === 'completed' ? null : (reason ?? this.#reason()).replace(/\.$/, ''),
    }
  }

  #outcome(): Outcome {
    if (this.#end) return this.#end.outcome
    if (this.#completion) return this.#completion.success ? 'completed' : 'failed'
    return this.#turn?.outcome ?? 'failed'
  }

  #reason(): string {
    if (this.#end) return this.#end.reason
    if (this.#completion) return 'it says that it could not do it'
    const { errors = [], stopReason } = this.#turn ?? {}
    if (stopReason === 'interrupted') return 'it was stopped'
    return errors.join('; ') || this.#failure || stopReason || 'it is not known why'
  }
}

function isResting({ turn, tasks, agents, queue, pendingRequests }: Session): boolean {
  const isFree = [tasks, agents].every((open) => Object.keys(open).length === 0)
  return turn === null && isFree && queue.length === 0 && pendingRequests.length === 0
}

function started(agentId: string, { agent, message, parentToolUseId }: ChildCall): EventDraft {
  return {
    type: 'agent.started',
    data: {
      agentId,
      agentType: agent,
      description: previewOf(message, MAX_PREVIEW),
      ...(parentToolUseId !== null && { parentToolUseId }),
      isBackground: false,
    },
  }
}

/** A progress line for the user who waits for the child; null for events that are not worth one. */
function progressOf({ event }: Published, cwd: string): string | null {
  switch (event.type) {
    case 'tool.requested':
      return describeCall(event.data.name, event.data.input, cwd)
    case 'tool.progressed':
      return event.data.text ?? null
    case 'permission.requested':
      return `waits for a person: ${event.data.title}`
    case 'question.requested':
      return `asks a person: ${event.data.questions[0]?.question ?? ''}`
    case 'text.ended':
      return previewOf(event.data.text, MAX_PREVIEW)
    default:
      return null
  }
}
