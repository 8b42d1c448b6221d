/** Judges a call and, where it is a command that only reads, wraps it into the jail. */

import type { Loose } from '../../lib/read-json.js'
import { SHELL_TOOLS } from '../../policy/tool/judge-tool.js'
import type { Verdict } from '../../protocol/policy/policy.js'
import { reason, saying } from '../../protocol/reason/reason.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import type { HookedCall } from '../claude/port.js'
import { programInWorkspace } from '../workspace-program.js'
import type { CallJudge, CallJudgeDeps } from './call-judge.js'
import type { SessionJail } from './session-jail.js'

export interface JailVerdictDeps extends Pick<CallJudgeDeps, 'cwd' | 'current'> {
  judge: Pick<CallJudge, 'judge' | 'commandsOf'>
  /** Whether the CLI's shell is bash, as which the policy reads commands. */
  isBash?: boolean
  /** The variable `PATH` of the CLI's shell. */
  path?: string
  jail: Pick<SessionJail, 'inForce' | 'wrap'>
}

/** The verdict, and the input that runs the command in the jail; null where it runs outside, if it runs. */
export interface JailVerdict {
  own: Verdict
  jailed: Loose | null
}

/** The rule of the policy by which a command is proven to do nothing but read. */
const PROVEN = 'read-only'

/** Whether a command is proven to do nothing but read. */
export function isProvenRead({ rule, step, jail }: Verdict): boolean {
  return rule === PROVEN && step === 'autoAllow' && jail === undefined
}

export function createJailVerdict(deps: JailVerdictDeps): (call: HookedCall) => Promise<JailVerdict> {
  const { cwd, jail } = deps
  const { judge, commandsOf } = deps.judge

  /**
   * A command that is proven read-only runs in the jail where there is one; one that is not proven never runs
   * outside it.
   */
  async function judgeAndWrap(call: HookedCall): Promise<JailVerdict> {
    const own = await judge(call, true)
    const isProven = isProvenRead(own)
    if (own.verdict !== 'allow' || !SHELL_TOOLS.has(call.name) || !(isProven || own.jail)) {
      return { own, jailed: null }
    }
    if (deps.isBash === false)
      return { own: await refuseOrAsk(own, 'no-bash', reason('shell.not-bash')), jailed: null }
    const commands = await commandsOf(call)
    const foreign = programInWorkspace(commands, deps.path, cwd)
    if (foreign !== null) {
      const why = reason('program.workspace', { path: foreign })
      return { own: await refuseOrAsk(own, 'workspace-program', why), jailed: null }
    }
    const { isOn, setting, reasonParts: [off] = [] } = await jail.inForce()
    if (!isOn && isProven && setting !== 'require') return { own, jailed: null }
    const wrapped: Awaited<ReturnType<typeof jail.wrap>> = isOn
      ? await jail.wrap(call, commands, isProven)
      : { problem: off ?? reason('jail.none') }
    if ('input' in wrapped) return { own, jailed: wrapped.input }
    if (own.jail) return { own: await judge(call), jailed: null }
    if ('mustAsk' in wrapped)
      return {
        own: await refuseOrAsk(own, 'history', reason('jail.shows-history'), wrapped.problem),
        jailed: null,
      }
    if (setting !== 'require') return { own, jailed: null }
    const why = [reason('jail.needed'), wrapped.problem]
    return { own: await refuseOrAsk(own, 'jail-required', ...why), jailed: null }
  }

  /** It was allowed on a condition that does not hold. */
  async function refuseOrAsk(own: Verdict, rule: string, ...why: ReasonPart[]): Promise<Verdict> {
    const { permissionMode } = await deps.current()
    const verdict = permissionMode === 'dontAsk' ? 'deny' : 'ask'
    const { jail: _, ...rest } = own
    return { ...rest, verdict, step: 'ask', rule, ...saying(...why) }
  }

  return judgeAndWrap
}
