/** The read-only jail in one session: which calls run in it, how they look from outside, and whether they really did. */

import { lstatSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { isPlainGit, showsHistory } from '../../jail/git/git-content.js'
import { gitObstacle } from '../../jail/git/git-folder.js'
import { type Jail, NOT_CLEAN } from '../../jail/jail.js'
import { differsInJail, isPlainText, programObstacle } from '../../jail/program.js'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { EventDraft } from '../../protocol/event/event.js'
import type { JailInForce, ReadOnlyJail, Unproven } from '../../protocol/jail.js'
import { reason as codedReason, reasonText } from '../../protocol/reason/reason.js'

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
  obstacle(claudeFolders: readonly string[]): string | null
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
  /** It shows what it would show outside, so that the agent need not know. */
  isQuiet: boolean
}

/** One line for the agent: without it, the agent would take "Read-only file system" for the state of the machine. */
export const JAIL_NOTE =
  'Signalbox ran this command in a read-only jail: no writes (so [ -w file ] says no), no network, protected files hidden. If it has to do more, call Bash again with dangerouslyDisableSandbox: true; a person is then asked.'

const MAX_REMEMBERED = 200

export class SessionJail {
  readonly #deps: SessionJailDeps
  readonly #calls = new Map<string, JailedCall>()
  /** Which folder the workspace is: a link in its place must not lead the jail elsewhere. */
  readonly #identity: string | null
  /** Why it is off for the rest of this session. */
  #failure: string | null = null
  #hasEnded = false

  constructor(deps: SessionJailDeps) {
    this.#deps = deps
    this.#identity = identityOf(deps.workspace)
  }

  async inForce(): Promise<JailInForce> {
    const { setting, unproven } = await this.#deps.settings()
    const reason = setting === 'off' ? 'The setting readOnlyJail is off.' : await this.#problem()
    return { isOn: reason === null, setting, unproven, reason }
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

  async #problem(): Promise<string | null> {
    const { jail, obstacle } = this.#deps
    if (this.#failure !== null) return this.#failure
    // Only `off` leaves it untested; a workspace that requires it must not wait for ever.
    void jail.verify()
    return jail.status.state === 'verified' ? obstacle([]) : (jail.status.reason ?? 'There is no jail.')
  }

  /**
   * The input with which the call runs in the jail, or why it cannot; `mustAsk`: outside it could show what is hidden there.
   * `commands`: the words of each that it runs.
   */
  async wrap(
    { toolUseId, name, input, cwd }: Call,
    commands: readonly (readonly string[])[],
    isProven: boolean,
  ): Promise<{ input: Loose } | { problem: string; mustAsk?: true }> {
    const { jail, workspace, env, obstacle } = this.#deps
    const { isOn, reason } = await this.inForce()
    const command = asText(asRecord(input)['command'])
    if (!isOn) return { problem: reason ?? 'The jail is off.' }
    // Before everything else that keeps it out of the jail: outside, nothing would hide those files.
    const showsContent = commands.some(showsHistory)
    if (showsContent && !(await jail.isHistoryClean(workspace, env)))
      return { problem: NOT_CLEAN, mustAsk: true }
    if (name !== 'Bash' || command === null) return { problem: `${name} does not run in the jail.` }
    if (identityOf(workspace) !== this.#identity)
      return { problem: 'The workspace is another folder than at the start of the session.' }
    const usesGit = commands.some(([program]) => program === 'git')
    const hidden = programObstacle(command, commands, env['PATH'], isProven)
    if (hidden !== null) return { problem: hidden }
    // Outside, git obeys the configuration of whatever repository it is sent to.
    const isPlain = isPlainText(command) && isPlainGit(commands)
    const outside = (problem: string) => ({ problem, ...(usesGit && !isPlain && { mustAsk: true as const }) })
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
    // Without a description the CLI (2.1.325) names tasks by their command.
    const changed = { description: command, ...asRecord(input), command: wrapped.command }
    this.#calls.set(toolUseId, { input: asRecord(input), wrapped: changed, runId: wrapped.id, isQuiet })
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
      note: call.isQuiet || !isAsWrapped ? null : JAIL_NOTE,
    }
  }

  #fail(toolUseId: string): void {
    this.#failure = 'A command did not run as it was wrapped: something else changes the input of calls.'
    const text = reasonText([codedReason('jail.failed')])
    this.#deps.unjailed(toolUseId)
    this.#deps.write([
      { type: 'notice.raised', data: { level: 'error', topic: 'jail', text, details: { toolUseId } } },
    ])
    void this.#tellNow()
  }
}

function identityOf(folder: string): string | null {
  const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : null
}
