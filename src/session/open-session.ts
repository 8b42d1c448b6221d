/** Opens the process of a session. Until the session uses it, it can be discarded: it has been given nothing. */

import type { Session } from '../protocol/session.js'
import { failedResult } from '../tool/output.js'
import { ClaudeWithTimeouts } from './claude/control-timeout.js'
import type { Claude, ClaudeCallbacks } from './claude/port.js'
import {
  type CallbackContext,
  createSessionCallbacks,
  type SessionCallbackDeps,
} from './gate/session-callbacks.js'
import { LiveSession, type LiveSessionDeps } from './live-session.js'
import { Recorder } from './translate/recorder.js'
import { newTranslationState, type TranslationState } from './translate/state.js'

export type OpenSessionDeps = SessionCallbackDeps & LiveSessionDeps

export interface Opening extends CallbackContext {
  open(callbacks: ClaudeCallbacks): Promise<Claude>
  /** Called after everything that happens. */
  onActivity(): void
  /** Where a previous run has left its process, which is attached to; null for a process that is started now. */
  left: LeftSession | null
  /** Whether a message must not be sent any more. */
  isCancelled(messageId: string): boolean
}

/** How far a previous run has brought a session whose process still runs. */
export interface LeftSession {
  offset: number
  state: TranslationState
}

/** A process that is there, but that no session uses yet. */
export interface OpenedSession {
  /** The session uses it from now on. `session` is the newest snapshot. */
  begin(session: Session): LiveSession
  /** Ends it: it was given nothing, and has done nothing. */
  discard(): Promise<void>
}

/** Rejects if the process cannot even be tried. */
export async function openSession(opening: Opening, deps: OpenSessionDeps): Promise<OpenedSession> {
  const { session, open, onActivity, isCancelled, left } = opening
  const state = left?.state ?? newTranslationState(session)
  const recorder = new Recorder(state, { sessionId: session.id, ...deps })
  const { callbacks, hooks, jail, changes, mayRead } = createSessionCallbacks(opening, recorder, deps)
  const jailInForce = await jail.told()
  let admit = (_isAdmitted: boolean) => {}
  const isAdmitted = new Promise<boolean>((resolve) => {
    admit = resolve
  })
  const claude = new ClaudeWithTimeouts(await open(admittedCallbacks(callbacks, isAdmitted)), deps.clock)
  return {
    begin(newest) {
      const attachedAt = left?.offset ?? null
      const parts = { claude, recorder, hooks, changes, mayRead, jailInForce, isCancelled, onActivity }
      const live = new LiveSession(newest, { ...parts, attachedAt }, deps)
      void live.ended.finally(() => jail.end())
      admit(true)
      return live
    },
    async discard() {
      admit(false)
      jail.end()
      await claude.kill()
    },
  }
}

const DISCARDED = 'This process was started with settings that have changed meanwhile.'

/** Callbacks of a process that may still be discarded: they wait until it is known whether it belongs to its session. */
function admittedCallbacks(callbacks: ClaudeCallbacks, isAdmitted: Promise<boolean>): ClaudeCallbacks {
  return {
    preToolUse: async (call, signal) =>
      (await isAdmitted) ? callbacks.preToolUse(call, signal) : { decision: 'deny', reason: DISCARDED },
    canUseTool: async (call) =>
      (await isAdmitted) ? callbacks.canUseTool(call) : { allow: false, message: DISCARDED },
    elicit: async (form, signal) =>
      (await isAdmitted) ? callbacks.elicit(form, signal) : { action: 'cancel' },
    hook: async (event, input, signal) => ((await isAdmitted) ? callbacks.hook(event, input, signal) : {}),
    callTool: async (request) => ((await isAdmitted) ? callbacks.callTool(request) : failedResult(DISCARDED)),
  }
}
