/** The read-only jail in one session: which calls run in it, how they look from outside, and whether they really did. */

import { gitObstacle } from '../jail/git-folder.js'
import type { Jail } from '../jail/jail.js'
import { programObstacle } from '../jail/program.js'
import { asRecord, asText, type Loose } from '../lib/loose.js'
import type { EventDraft } from '../protocol/event.js'
import type { JailInForce, ReadOnlyJail, Unproven } from '../protocol/jail.js'

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
  /** What holds for the session now. */
  settings(): Promise<JailSettings>
  /** Why calls must not be wrapped in this session; null if they may. */
  obstacle(): string | null
  write(drafts: readonly EventDraft[]): void
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
  wrapped: string
  isProven: boolean
}

/** One line for the agent: an agent that is not told would take "Read-only file system" for the state of the machine. */
export const JAIL_NOTE =
  'Signalbox ran this command in a read-only jail: no writes, no network, protected files hidden. If it has to do more, call Bash again with dangerouslyDisableSandbox: true; a person is then asked.'

const MAX_REMEMBERED = 200

export class SessionJail {
  readonly #deps: SessionJailDeps
  readonly #calls = new Map<string, JailedCall>()
  /** Why it is off for the rest of this session. */
  #failure: string | null = null
  #hasEnded = false

  constructor(deps: SessionJailDeps) {
    this.#deps = deps
  }

  async inForce(): Promise<JailInForce> {
    const { setting, unproven } = await this.#deps.settings()
    const reason = setting === 'off' ? 'The setting readOnlyJail is off.' : await this.#problem()
    return { isOn: reason === null, setting, unproven, reason }
  }

  /** Whether commands run in the jail now; if it is still being tested, that is written down when the test has ended. */
  async told(): Promise<JailInForce | null> {
    const { jail } = this.#deps
    const now = await this.inForce().catch(() => null)
    if (now !== null && now.setting !== 'off' && jail.status.state === 'checking')
      void jail.verify().then(() => this.#tellNow())
    return now
  }

  /** Nothing is written from now on. */
  end(): void {
    this.#hasEnded = true
  }

  async #tellNow(): Promise<void> {
    // Settings that cannot be read are told elsewhere, and no call runs by them.
    const jail = await this.inForce().catch(() => null)
    if (jail !== null && !this.#hasEnded) this.#deps.write([{ type: 'session.changed', data: { jail } }])
  }

  async #problem(): Promise<string | null> {
    const { jail, obstacle } = this.#deps
    if (this.#failure !== null) return this.#failure
    // Only `off` leaves it untested; a workspace that requires it must not wait for ever.
    void jail.verify()
    return jail.status.state === 'verified' ? obstacle() : (jail.status.reason ?? 'There is no jail.')
  }

  /** The input with which the call runs in the jail, or why it cannot. */
  async wrap(
    { toolUseId, name, input, cwd }: Call,
    programs: readonly string[],
    isProven: boolean,
  ): Promise<{ input: Loose } | { problem: string }> {
    const { jail, workspace, env } = this.#deps
    const { isOn, reason } = await this.inForce()
    const command = asText(asRecord(input)['command'])
    if (!isOn) return { problem: reason ?? 'The jail is off.' }
    if (name !== 'Bash' || command === null) return { problem: `${name} does not run in the jail.` }
    const needsGit = programs.includes('git')
    const hidden =
      programObstacle(programs, env['PATH'], isProven) ?? (needsGit ? gitObstacle(workspace) : null)
    if (hidden !== null) return { problem: hidden }
    const wrapped = await jail.wrap({ command, cwd: cwd ?? workspace, workspace, env, needsGit })
    if ('problem' in wrapped) return wrapped
    this.#calls.set(toolUseId, { input: asRecord(input), wrapped: wrapped.command, isProven })
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_REMEMBERED && oldest !== undefined) this.#calls.delete(oldest)
    // Without a description the CLI (2.1.325) names tasks by their command.
    return { input: { description: command, ...asRecord(input), command: wrapped.command } }
  }

  /** The input as the agent gave it: people are asked about that, and what they allow runs as it is. */
  restore(toolUseId: string, input: Record<string, unknown>): Record<string, unknown> {
    const call = this.#calls.get(toolUseId)
    if (!call || input['command'] !== call.wrapped) return input
    this.#calls.delete(toolUseId)
    return call.input
  }

  /** A call has ended: what ran is compared with what was to run. `event` is as other hooks may see it. */
  after(event: Loose): { event: Loose; note: string | null } {
    const toolUseId = asText(event['tool_use_id']) ?? ''
    const call = this.#calls.get(toolUseId)
    if (!call) return { event, note: null }
    const isAsWrapped = asRecord(event['tool_input'])['command'] === call.wrapped
    if (!isAsWrapped) this.#fail(toolUseId)
    return {
      event: isAsWrapped ? { ...event, tool_input: call.input } : event,
      note: call.isProven || !isAsWrapped ? null : JAIL_NOTE,
    }
  }

  #fail(toolUseId: string): void {
    this.#failure = 'A command did not run as it was wrapped: something else changes the input of calls.'
    const text = `${this.#failure} The read-only jail is off for this session; such commands are asked from now on.`
    this.#deps.write([
      { type: 'notice.raised', data: { level: 'error', topic: 'jail', text, details: { toolUseId } } },
    ])
    void this.#tellNow()
  }
}
