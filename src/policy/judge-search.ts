/** The searching tools: `Grep` shows what is in files, `Glob` only their names. */

import { asText } from '../lib/loose.js'
import type { Finding } from './finding.js'
import { ask, judgePath } from './judge-path.js'
import type { Judged } from './judge-tool.js'
import { nameOf } from './path.js'
import { protectionOf } from './protected.js'
import { expandBraces } from './shell/brace.js'
import { fits, sampleOf } from './shell/pattern.js'
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
  if (glob !== null && leadsElsewhere(glob))
    findings.push(ask('outside-workspace', `It searches outside the workspace: ${glob}.`))
  return {
    findings,
    uses: judged.targets.map((target) => ({ access: 'read', target, command: null })),
    shell: null,
  }
}

export function judgeGlob(fields: Fields, world: World): Judged {
  const problems = malformed(fields, ['path'])
  const pattern = asText(fields['pattern']) ?? ''
  const folder = asText(fields['path'])
  const judged = judgePath('look', folder ?? world.folder, world)
  const findings = [...problems, ...judged.findings]
  if (leadsElsewhere(pattern)) {
    const start = judgePath('look', fixedFolder(pattern), world)
    findings.push(...start.findings)
    if (/(?:^|\/)\.\.(?:\/|$)|^~/.test(pattern))
      findings.push(ask('outside-workspace', `It looks outside the workspace: ${pattern}.`))
  }
  return {
    findings,
    uses: judged.targets.map((target) => ({ access: 'look', target, command: null })),
    shell: null,
  }
}

function malformed(fields: Fields, optional: readonly string[]): Finding[] {
  if (asText(fields['pattern']) === null) return [ask('malformed', 'It is called without a pattern.')]
  const wrong = optional.find((name) => fields[name] !== undefined && asText(fields[name]) === null)
  return wrong === undefined ? [] : [ask('malformed', `${wrong} is not a text.`)]
}

function leadsElsewhere(pattern: string): boolean {
  return /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(pattern)
}

/** `.env*`, `*.pem`, `{secrets,config}/**`: every alternative counts. */
function aimsAtProtected(glob: string): boolean {
  return glob
    .split(/\s+/)
    .filter((part) => part !== '' && !part.startsWith('!'))
    .flatMap((part) => expandBraces(part) ?? [part])
    .some((part) => {
      const last = nameOf(part)
      return protectionOf(sampleOf(part)) !== null || (last.startsWith('.') && fits(last, '.env'))
    })
}
