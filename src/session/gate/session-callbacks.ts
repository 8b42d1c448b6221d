/** Answers the CLI in the name of one session: joins the gate, the hooks around it, the jail and our tools. */

import type { SessionChanges } from '../../change/session-changes.js'
import type { Asker } from '../../inbox/asker.js'
import type { Jail } from '../../jail/jail.js'
import type { Journal } from '../../journal/journal.js'
import type { Clock } from '../../lib/clock.js'
import type { IdSource } from '../../lib/id.js'
import type { Log } from '../../lib/log.js'
import type { SecretSet } from '../../lib/redact/secret-set.js'
import type { EffectivePolicy } from '../../policy/call.js'
import type { Agents } from '../../protocol/agent.js'
import type { EventDraft } from '../../protocol/event/event.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import type { Session } from '../../protocol/session.js'
import { ownNameOf } from '../../protocol/tool.js'
import type { RunnerStore } from '../../store/port/runner-store.js'
import { PROGRAM, type ToolRegistry } from '../../tool/registry.js'
import { createSessionTools } from '../../tool/session-tools.js'
import type { ClaudeCallbacks } from '../claude/port.js'
import type { Recorder } from '../translate/recorder.js'
import type { Judgement } from '../translate/tool.js'
import { createGate, type Gate } from './gate.js'
import { createHookedGate } from './hooked-gate.js'
import { type HookDeps, SessionHooks, type StartSource } from './session-hooks.js'
import { type JailSettings, SessionJail } from './session-jail.js'
import { secretsTouched } from './touched-secret.js'

const NOT_STORED = 'The decision could not be stored, so the call does not run.'

export interface SessionCallbackDeps {
  journal: Journal
  asker: Asker
  clock: Clock
  ids: IdSource
  /** Values that are redacted in logs and for viewers. */
  secrets: SecretSet
  store: Pick<RunnerStore, 'addSecrets'>
  toolsOf(sessionId: string): ToolRegistry
  /** Those of the configuration. */
  agents: Agents
  /** Log that tools write to. */
  toolLog: Log
  hooks: HookDeps
  /** Distinguishes the processes of this home from those of another. */
  mark: string
  /** The policy in force for calls of a session now. Rejects if it cannot be read. */
  policyFor(session: Session): Promise<EffectivePolicy>
  jail: Jail
  /** Records what calls of a session change; null if nothing is recorded. */
  changesOf(session: Session, write: (drafts: readonly EventDraft[]) => void): SessionChanges | null
  /** The jail settings of the configuration and of the session's workspace. Rejects if they cannot be read. */
  jailSettingsFor(session: Session): Promise<JailSettings>
}

/** How the process was started, as far as the gate depends on it. */
export interface GateContext {
  /** The home of the user that the CLI runs as. */
  home: string
  serverSource(server: string): string
  /** The environment of the CLI. */
  env: Readonly<Record<string, string>>
  /** Why calls must not be wrapped into the jail; null if they may. `claudeFolders`: what the CLI may read besides. */
  jailObstacle(claudeFolders: readonly string[]): ReasonPart | null
}

export interface CallbackContext {
  session: Session
  source: StartSource
  place: GateContext
}

export interface SessionCallbacks extends Pick<Gate, 'mayRead'> {
  callbacks: ClaudeCallbacks
  hooks: SessionHooks
  jail: SessionJail
  changes: SessionChanges | null
}

export function createSessionCallbacks(
  { session, source, place }: CallbackContext,
  recorder: Recorder,
  deps: SessionCallbackDeps,
): SessionCallbacks {
  const { journal, clock, asker, ids, mark } = deps
  const { id: sessionId, cwd } = session
  const judged = (judgement: Judgement) => recorder.record({ kind: 'judged', judgement })
  const completed = new Set<string | null>()
  const jail = new SessionJail({
    jail: deps.jail,
    workspace: cwd,
    env: place.env,
    settings: () => deps.jailSettingsFor(session),
    obstacle: place.jailObstacle,
    write: (drafts) => recorder.write(drafts),
    unjailed: (toolUseId) => recorder.record({ kind: 'unjailed', toolUseId }),
  })
  const changes = deps.changesOf(session, (drafts) => recorder.write(drafts))
  if (changes) recorder.follow((draft) => changes.note(draft))
  const gate = createGate({
    sessionId,
    cwd,
    home: place.home,
    serverSource: place.serverSource,
    isProgramTool(tool) {
      const name = ownNameOf(tool)
      return name !== null && deps.toolsOf(sessionId).sourceOf(name) === PROGRAM
    },
    asker,
    agents: deps.agents,
    isBash: place.env['CLAUDE_CODE_SHELL']?.endsWith('/bash') ?? false,
    ...(place.env['PATH'] !== undefined && { path: place.env['PATH'] }),
    jail,
    now: () => new Date(clock.now()).toISOString(),
    current: async () => {
      const { grants } = (await journal.session(sessionId)) ?? session
      return { permissionMode: recorder.mode, grants, policy: await deps.policyFor(session) }
    },
    judged,
    modeChosen: (mode, by) => recorder.record({ kind: 'mode', mode, by }),
    changes,
  })
  const hooks = new SessionHooks({
    ...deps.hooks,
    cwd,
    source,
    ids,
    mark,
    write: (drafts) => recorder.write(drafts),
    ran(toolUseId, durationMs) {
      recorder.record({ kind: 'ran', toolUseId, durationMs })
      changes?.ran(toolUseId)
    },
    hasCompleted: (toolUseId) => completed.has(toolUseId),
    afterCall: (event) => jail.after(event),
  })
  const hookedGate = createHookedGate({
    gate,
    hooks,
    requested: (call) => recorder.record({ kind: 'requested', call }),
    changed: (toolUseId, input) => recorder.record({ kind: 'changed', toolUseId, input }),
    judged,
  })
  const preToolUse: ClaudeCallbacks['preToolUse'] = async (call, signal) => {
    const fresh = deps.secrets.learn(await secretsTouched(call.input, call.cwd ?? cwd), 'file')
    if (fresh.length > 0) await deps.store.addSecrets(sessionId, fresh, 'file')
    const decision = await hookedGate(call, signal)
    if (decision.decision !== 'allow' || (await recorder.isStored())) return decision
    return { ...decision, decision: 'deny', reason: NOT_STORED }
  }
  // No tool starts whose verdict is not stored. An answer was fsynced before the gate heard of it, and so was the verdict of a
  // call that was not asked about; only a mode that was chosen with the answer is stored behind it.
  const canUseTool: ClaudeCallbacks['canUseTool'] = async (call) => {
    const reply = await gate.canUseTool(call)
    if (!reply.allow) return reply
    const isStored = reply.mode === undefined ? !recorder.hasLost : await recorder.isStored()
    return isStored ? reply : { allow: false, message: NOT_STORED }
  }
  const callTool = createSessionTools({
    registry: () => deps.toolsOf(sessionId),
    sessionId,
    workspace: cwd,
    clock,
    log: deps.toolLog,
    onProgress({ toolUseId, text }) {
      if (toolUseId !== null) recorder.write([{ type: 'tool.progressed', data: { toolUseId, text } }])
    },
    async onCompletion({ toolUseId, result, success, isRepeated }) {
      // A previous run may have recorded it, and not answered the agent.
      const { completion } = (isRepeated && (await journal.session(sessionId))) || session
      if (!isRepeated || completion === null)
        recorder.write([{ type: 'completion.recorded', data: { toolUseId, result, success } }])
      await recorder.settled()
      completed.add(toolUseId)
    },
  })
  const hook: ClaudeCallbacks['hook'] = (event, input, signal) => hooks.answer(event, input, signal)
  const elicit = createElicit({ sessionId, asker })
  return {
    hooks,
    jail,
    changes,
    mayRead: gate.mayRead,
    callbacks: { preToolUse, canUseTool, elicit, hook, callTool },
  }
}

/** Elicitation: an MCP server asks the user during a tool call. Cancelled when no user answers in time: nothing is accepted on a user's behalf. */
function createElicit(deps: { sessionId: string; asker: Asker }): ClaudeCallbacks['elicit'] {
  const { sessionId, asker } = deps
  return async (form, signal) => {
    const asked = { sessionId, toolUseId: null, toolName: `mcp__${form.server}`, input: form, signal }
    const { form: reply } = await asker.askForm(asked, form)
    return reply ?? { action: 'cancel' }
  }
}
