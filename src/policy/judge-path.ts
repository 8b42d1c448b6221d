/** Paths as tools are given them: with a tilde, as an address, relative to the working directory. */

import { type Access, judgeAccess } from './access.js'
import type { Finding } from './finding.js'
import { plainSpelling } from './spelling.js'
import { deception } from './suspicious.js'
import { type Target, targetAt } from './target.js'
import type { World } from './world.js'

/** A path may be read in several ways; each of them is judged. */
function targetsOf(path: string, world: World): Target[] {
  const ways = [path, plainSpelling(path)].map((way) =>
    /^~(?=\/|$)/.test(way) ? `${world.home}${way.slice(1)}` : way,
  )
  return [...new Set(ways)]
    .filter((way) => way !== '')
    .map((way) => targetAt(world, world.folder, way.replaceAll('\0', '')))
}

export interface JudgedPath {
  findings: Finding[]
  targets: Target[]
}

export function judgePath(
  access: Access,
  path: string,
  world: World,
  options: { isRecursive?: boolean } = {},
): JudgedPath {
  const targets = targetsOf(path, world)
  const findings = targets.flatMap((target) => {
    const judgement = judgeAccess(access, target, world, options)
    return judgement === null ? [] : [finding(judgement, path)]
  })
  const hidden = deception(path)
  if (hidden !== null)
    findings.push(finding({ verdict: 'ask', rule: 'look-alike', reason: hidden.reason }, path))
  return { findings, targets }
}

export function finding(
  judgement: Pick<Finding, 'verdict' | 'rule' | 'reason'>,
  text: string | null = null,
): Finding {
  const { verdict, rule, reason } = judgement
  return {
    verdict,
    rule,
    reason,
    part: text === null ? null : { text, start: null, end: null },
    command: null,
  }
}

export function ask(rule: Finding['rule'], reason: string): Finding {
  return finding({ verdict: 'ask', rule, reason })
}
