/** The searching tools: `Grep` shows what is in files, `Glob` only their names. */

import { asText } from '../lib/loose.js'
import type { Finding } from './finding.js'
import { ask, judgePath } from './judge-path.js'
import type { Judged } from './judge-tool.js'
import { aimsAtProtected } from './protected-glob.js'
import { expandBraces } from './shell/brace.js'
import { fixedFolder } from './target.js'
import type { World } from './world.js'

type Fields = Readonly<Record<string, unknown>>

export function judgeSearch(fields: Fields, world: World): Judged {
  const problems = malformed(fields, ['path', 'glob', 'type', 'output_mode'])
  const path = asText(fields['path'])
  const judged = judgePath('read', path ?? world.folder, world)
  const glob = asText(fields['glob'])
  const findings = [...problems, ...judged.findings]
  if (glob !== null && aimsAtProtected(glob)) {
    findings.push(ask('protected-read', `It aims at protected files: ${glob}.`))
  }
  if (glob !== null && (expandBraces(glob) ?? ['..']).some(leadsElsewhere))
    findings.push(ask('outside-workspace', `It searches outside the workspace: ${glob}.`))
  return {
    findings,
    uses: judged.targets.map((target) => ({ access: 'read', target, command: null })),
    shell: null,
  }
}

/** The pattern is seen from the folder: where it begins is where it looks. */
export function judgeGlob(fields: Fields, world: World): Judged {
  const pattern = asText(fields['pattern']) ?? ''
  const folder = asText(fields['path']) ?? world.folder
  const ways = expandBraces(pattern)
  const findings = malformed(fields, ['path'])
  if (ways === null) findings.push(ask('too-large', 'Its braces stand for too many patterns.'))
  const judged = [folder, ...(ways ?? []).map((way) => startOf(folder, way))].map((path) =>
    judgePath('look', path, world),
  )
  findings.push(...judged.flatMap((one) => one.findings))
  const upward = ways?.find((way) => /(?:^|\/)\.\.(?:\/|$)|^~/.test(way))
  if (upward !== undefined)
    findings.push(ask('outside-workspace', `It looks outside the workspace: ${upward}.`))
  const targets = judged.flatMap((one) => one.targets)
  return { findings, uses: targets.map((target) => ({ access: 'look', target, command: null })), shell: null }
}

function startOf(folder: string, pattern: string): string {
  if (pattern === '') return folder
  const start = fixedFolder(pattern)
  return /^[/~]/.test(pattern) ? start : `${folder}/${start}`
}

function malformed(fields: Fields, optional: readonly string[]): Finding[] {
  if (asText(fields['pattern']) === null) return [ask('malformed', 'It is called without a pattern.')]
  const wrong = optional.find((name) => fields[name] !== undefined && asText(fields[name]) === null)
  return wrong === undefined ? [] : [ask('malformed', `${wrong} is not a text.`)]
}

function leadsElsewhere(pattern: string): boolean {
  return /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(pattern)
}
