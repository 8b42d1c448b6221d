/** The read-only jail in one session: which calls run in it, how they look from outside, and whether they really did. */

import { lstatSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { isPlainGit, showsHistory } from '../../jail/git/git-content.js'
import { gitObstacle } from '../../jail/git/git-folder.js'
import { type Jail, jailProblem } from '../../jail/jail.js'
import { asksAboutHost, differsInJail, isPlainText, programObstacle } from '../../jail/program.js'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import type { JailInForce, ReadOnlyJail, Unproven } from '../../protocol/jail.js'
import { reason as codedReason, saying } from '../../protocol/reason/reason.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'

export interface JailSettings {
  setting: ReadOnlyJail
  unproven: Unproven
}

/** A workspace only ever asks for more care. */
export function jailSettingsAt(
  home: { readOnlyJail: ReadOnlyJail; unproven: Unproven },
  workspace: { readOnlyJail?: 'require' | undefined; unproven?: 'ask' | undefined } | null,
): JailSettings {
  return {
    setting: workspace?.readOnlyJail ?? home.readOnlyJail,
    unproven: workspace?.unproven ?? home.unproven,
  }
}

export interface SessionJailDeps {
  jail: Jail
  workspace: string
  env: Readonly<Record<string, string | undefined>>
  /** The jail settings in force for the session now. */
  settings(): Promise<JailSettings>
  /** Why calls must not be wrapped in this session; null if they may. `claudeFolders`: what the CLI may read besides. */
  obstacle(claudeFolders: readonly string[]): ReasonPart | null
  write(drafts: readonly EventDraft[]): void
  /** A call did not run in the jail, although it was to. */
  unjailed(toolUseId: string): void
}

export interface Call {
  toolUseId: string
  name: string
  input: unknown
  cwd?: string
}

interface JailedCall {
  /** As the agent gave it. */
  input: Loose
  /** As the CLI must run it. */
  wrapped: Loose
  runId: string
  /** For the agent; null if it shows what it would show outside. */
  note: string | null
}

/** One line for the agent: without it, the agent would take "Read-only file system" for the state of the machine. */
export const JAIL_NOTE =
  'Signalbox ran this command in a read-only jail: no writes (so [ -w file ] says no), no network, protected files hidden. If it has to do more, call Bash again with dangerouslyDisableSandbox: true; a person is then asked.'

/** Follows it where a command asked about what the jail hides: an empty answer is no answer. */
export const HOST_NOTE =
  'Processes, network, users, mounts, variables and settings of the machine are hidden there: this output says nothing about them.'

const MAX_REMEMBERED = 200

export class SessionJail {
  readonly #deps: SessionJailDeps
  readonly #calls = new Map<string, JailedCall>()
  /** Which folder the workspace is: a link in its place must not lead the jail elsewhere. */
  readonly #identity: string | null
  /** Why it is off for the rest of this session. */
  #failure: ReasonPart | null = null
  #hasEnded = false

  constructor(deps: SessionJailDeps) {
    this.#deps = deps
    this.#identity = identityOf(deps.workspace)
  }

  async inForce(): Promise<JailInForce> {
    const { setting, unproven } = await this.#deps.settings()
    const why = setting === 'off' ? codedReason('jail.setting-off') : await this.#problem()
    if (why === null) return { isOn: true, setting, unproven, reason: null }
    return { isOn: false, setting, unproven, ...saying(why) }
  }

  /** Whether commands run in the jail now; if it is still being tested, that is recorded when the test has ended. */
  async told(): Promise<JailInForce | null> {
    const { jail } = this.#deps
    const now = await this.inForce().catch(() => null)
    if (now !== null && now.setting !== 'off' && jail.status.state === 'checking')
      void jail.verify().then(() => this.#tellNow())
    return now
  }

  /** Nothing is written from now on, and what has not begun does not run any more. */
  end(): void {
    this.#hasEnded = true
    for (const toolUseId of this.#calls.keys()) this.drop(toolUseId)
  }

  async #tellNow(): Promise<void> {
    // Unreadable settings are reported where they are read, and no call runs in the jail meanwhile.
    const jail = await this.inForce().catch(() => null)
    if (jail !== null && !this.#hasEnded) this.#deps.write([{ type: 'session.changed', data: { jail } }])
  }

  async #problem(): Promise<ReasonPart | null> {
    const { jail, obstacle } = this.#deps
    if (this.#failure !== null) return this.#failure
    // Only `off` leaves it untested; a workspace that requires it must not wait for ever.
    void jail.verify()
    return jail.status.state === 'verified' ? obstacle([]) : jailProblem(jail.status)
  }

  /**
   * The input with which the call runs in the jail, or why it cannot; `mustAsk`: outside it could show what is hidden there.
   * `commands`: the words of each that it runs.
   */
  async wrap(
    { toolUseId, name, input, cwd }: Call,
    commands: readonly (readonly string[])[],
    isProven: boolean,
  ): Promise<{ input: Loose } | { problem: ReasonPart; mustAsk?: true }> {
    const { jail, workspace, env, obstacle } = this.#deps
    const { isOn, reasonParts: [off] = [] } = await this.inForce()
    const command = asText(asRecord(input)['command'])
    if (!isOn) return { problem: off ?? codedReason('jail.none') }
    // Before everything else that keeps it out of the jail: outside, nothing would hide those files.
    const showsContent = commands.some(showsHistory)
    if (showsContent && !(await jail.isHistoryClean(workspace, env)))
      return { problem: codedReason('jail.not-clean'), mustAsk: true }
    if (name !== 'Bash' || command === null) return { problem: codedReason('jail.tool', { tool: name }) }
    if (identityOf(workspace) !== this.#identity) return { problem: codedReason('jail.workspace-replaced') }
    const usesGit = commands.some(([program]) => program === 'git')
    const hidden = programObstacle(command, commands, env['PATH'], isProven)
    if (hidden !== null) return { problem: hidden }
    // Outside, git obeys the configuration of whatever repository it is sent to.
    const isPlain = isPlainText(command) && isPlainGit(commands)
    const outside = (problem: ReasonPart) => ({
      problem,
      ...(usesGit && !isPlain && { mustAsk: true as const }),
    })
    const gitProblem = usesGit ? gitObstacle(workspace) : null
    if (gitProblem !== null) return outside(gitProblem)
    const git = isProven && !showsContent ? 'names' : 'content'
    const wrapped = await jail.wrap({
      command,
      cwd: cwd ?? workspace,
      workspace,
      env,
      words: commands.flat(),
      ...(usesGit && { git }),
    })
    if ('problem' in wrapped) return outside(wrapped.problem)
    const problem = obstacle(wrapped.claudeFolders)
    if (problem !== null) {
      jail.drop(wrapped.id)
      return { problem }
    }
    const isQuiet = isProven && !differsInJail(commands)
    const note = asksAboutHost(command, commands) ? `${JAIL_NOTE} ${HOST_NOTE}` : JAIL_NOTE
    // Without a description the CLI (2.1.325) names tasks by their command.
    const changed = { description: command, ...asRecord(input), command: wrapped.command }
    this.#calls.set(toolUseId, {
      input: asRecord(input),
      wrapped: changed,
      runId: wrapped.id,
      note: isQuiet ? null : note,
    })
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_REMEMBERED && oldest !== undefined) this.drop(oldest)
    return { input: changed }
  }

  /** The call is no call of the jail any more. */
  drop(toolUseId: string): void {
    const call = this.#calls.get(toolUseId)
    if (call) this.#deps.jail.drop(call.runId)
    this.#calls.delete(toolUseId)
  }

  /**
   * Identifies a call that the CLI asks about although it was allowed: `wrapped` is the call as it must run;
   * `changed` is a different one, which was never evaluated. Null: not a call of the jail.
   */
  asked(toolUseId: string, input: Loose): 'wrapped' | 'changed' | null {
    const call = this.#calls.get(toolUseId)
    if (!call) return null
    if (isDeepStrictEqual(input, call.wrapped)) return 'wrapped'
    this.#fail(toolUseId)
    this.drop(toolUseId)
    return 'changed'
  }

  /**
   * A call has ended: compares the call that ran with the one that was to run. `event` is as other hooks may
   * see it.
   */
  after(event: Loose): { event: Loose; note: string | null } {
    const toolUseId = asText(event['tool_use_id']) ?? ''
    const call = this.#calls.get(toolUseId)
    if (!call) return { event, note: null }
    const isAsWrapped = isDeepStrictEqual(asRecord(event['tool_input']), call.wrapped)
    if (!isAsWrapped) this.#fail(toolUseId)
    // A command in the background keeps running; one that was never started is cleaned up only here.
    this.#deps.jail.drop(call.runId)
    return {
      event: isAsWrapped ? { ...event, tool_input: call.input } : event,
      note: isAsWrapped ? call.note : null,
    }
  }

  #fail(toolUseId: string): void {
    this.#failure = codedReason('jail.input-changed')
    this.#deps.unjailed(toolUseId)
    this.#deps.write([raiseNotice('error', 'jail', codedReason('jail.failed'), { toolUseId })])
    void this.#tellNow()
  }
}

function identityOf(folder: string): string | null {
  const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : null
}
