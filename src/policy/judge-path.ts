/** Paths as tools are given them: with a tilde, as an address, relative to the working directory. */

import { type Access, judgeAccess } from './access.js'
import type { Finding } from './finding.js'
import { isHarmlessDevice } from './landmark.js'
import { absolute } from './path.js'
import { plainSpelling } from './spelling.js'
import { deception } from './suspicious.js'
import { type Target, targetAt } from './target.js'
import type { World } from './world.js'

/** A path may be read in several ways; each of them is judged. */
function waysOf(path: string, world: World): string[] {
  const ways = [path, plainSpelling(path)].map((way) =>
    /^~(?=\/|$)/.test(way) ? `${world.home}${way.slice(1)}` : way,
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
  world: World,
  options: { isRecursive?: boolean } = {},
): JudgedPath {
  const ways = waysOf(path, world)
  // To a shell these are its own streams; in a tool they are those of another process, and here those of the daemon.
  if (ways.some((way) => isHarmlessDevice(absolute(world.folder, way))))
    return { findings: [ask('outside-workspace', `It opens ${path}, a device.`)], targets: [] }
  const targets = ways.map((way) => targetAt(world, world.folder, way))
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
