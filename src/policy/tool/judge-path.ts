/** Paths in the input of tools: with a tilde, as a URL, or relative to the working directory. */

import { BudgetUsedUp, spend } from '../../lib/step-budget.js'
import { type Reason, reason, withPart } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { type Access, judgeAccess } from '../file/file-access.js'
import { absolute, isTooLong } from '../file/path.js'
import { plainSpelling } from '../file/spelling.js'
import { deception } from '../file/suspicious.js'
import { type Target, targetAt } from '../file/target.js'
import { isHarmlessDevice } from '../file/well-known-paths.js'
import type { Finding } from '../finding.js'

/** A path may be read in several ways; the policy judges each of them. */
function waysOf(path: string, environment: CallEnvironment): string[] {
  const ways = [path, plainSpelling(path)].map((way) =>
    /^~(?=\/|$)/.test(way) ? `${environment.home}${way.slice(1)}` : way,
  )
  return [...new Set(ways)].filter((way) => way !== '').map((way) => way.replaceAll('\0', ''))
}

export interface JudgedPath {
  findings: Finding[]
  targets: Target[]
}

export function judgePath(
  access: Access,
  path: string,
  environment: CallEnvironment,
  options: { isRecursive?: boolean } = {},
): JudgedPath {
  if (isTooLong(path)) return { findings: [ask('too-large', reason('tool.path-too-long'))], targets: [] }
  spend(path.length)
  const ways = waysOf(path, environment)
  // In a shell these are its own streams. In a tool they belong to another process, here to the daemon.
  if (ways.some((way) => isHarmlessDevice(absolute(environment.folder, way))))
    return { findings: [ask('outside-workspace', reason('file.device', { path }))], targets: [] }
  const targets = ways.map((way) => targetAt(environment, environment.folder, way))
  const findings = targets.flatMap((target) => {
    const judgement = judgeAccess(access, target, environment, options)
    return judgement === null ? [] : [finding(judgement, path)]
  })
  const hidden = deception(path)
  if (hidden !== null)
    findings.push(finding({ verdict: 'ask', rule: 'look-alike', reason: hidden.reason }, path))
  return { findings, targets }
}

/** When the budget is used up, the findings made so far stay, and one more asks about the rest. */
export function judgePaths(
  access: Access,
  paths: Iterable<string>,
  environment: CallEnvironment,
): JudgedPath {
  const found: JudgedPath = { findings: [], targets: [] }
  try {
    for (const path of paths) {
      const { findings, targets } = judgePath(access, path, environment)
      found.findings.push(...findings)
      found.targets.push(...targets)
    }
  } catch (error) {
    found.findings.push(usedUp(error))
  }
  return found
}

/** The finding for input that was not judged because the budget was used up. Other errors are rethrown. */
export function usedUp(error: unknown): Finding {
  if (error instanceof BudgetUsedUp) return TOO_MANY_STEPS
  throw error
}

function finding(
  judgement: Pick<Finding, 'verdict' | 'rule' | 'reason'>,
  text: string | null = null,
): Finding {
  const { verdict, rule, reason: why } = judgement
  return {
    verdict,
    rule,
    reason: text === null ? why : withPart(why, text),
    part: text === null ? null : { text, start: null, end: null },
    command: null,
  }
}

export function ask(rule: Finding['rule'], why: Reason): Finding {
  return finding({ verdict: 'ask', rule, reason: why })
}

export const TOO_MANY_STEPS = ask('too-large', reason('tool.too-many-steps'))
