/** The search tools: `Grep` shows the content of files, `Glob` only their names. */

import { expandBraces } from '../../lib/glob/brace.js'
import { fits } from '../../lib/glob/shell-pattern.js'
import { asText } from '../../lib/read-json.js'
import { reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { isTooLongPattern } from '../file/path.js'
import { hasSourceEnding } from '../file/protected.js'
import { aimsAtProtected } from '../file/protected-glob.js'
import { fixedFolder, type Target } from '../file/target.js'
import { lookThrough } from '../file/tree.js'
import type { Finding } from '../finding.js'
import { SOURCE_TYPES } from '../program/system/recursion.js'
import { ask, judgePath, judgePaths } from './judge-path.js'
import type { ToolFindings } from './tool-findings.js'

type Fields = Readonly<Record<string, unknown>>

export function judgeSearch(fields: Fields, environment: CallEnvironment): ToolFindings {
  const problems = malformed('Grep', fields, ['path', 'glob', 'type', 'output_mode'])
  const judged = judgePath('read', folderOf(fields, environment), environment)
  const given = asText(fields['glob'])
  const glob = given === null || isTooLongPattern(given) ? null : given
  const findings = [...problems, ...judged.findings]
  if (given !== glob) findings.push(ask('too-large', reason('tool.pattern-too-long')))
  if (glob !== null && aimsAtProtected(glob)) {
    findings.push(ask('protected-read', reason('file.search-protected', { pattern: glob })))
  }
  if (findings.length === 0 && !SHOWS_NO_LINES.has(fields['output_mode']))
    findings.push(...meetsProtected(judged.targets, glob, fields['type'], environment))
  if (glob !== null && (expandBraces(glob) ?? ['..']).some(leadsElsewhere))
    findings.push(ask('outside-workspace', reason('file.search-outside', { pattern: glob })))
  return {
    findings,
    uses: judged.targets.map((target) => ({ access: 'read', target, command: null, isTree: true })),
    shell: null,
  }
}

/** The default mode shows only names; the output of an unknown mode is not known. */
const SHOWS_NO_LINES: ReadonlySet<unknown> = new Set([undefined, 'files_with_matches', 'count'])

/** A blank path counts as missing. */
function folderOf(fields: Fields, environment: CallEnvironment): string {
  const path = asText(fields['path'])
  return path === null || path.trim() === '' ? environment.folder : path
}

function isOfSources(type: unknown): boolean {
  return typeof type === 'string' && SOURCE_TYPES.has(type)
}

/** Grep shows lines of every file that the glob matches, including names with a leading dot. */
function meetsProtected(
  targets: readonly Target[],
  glob: string | null,
  type: unknown,
  environment: CallEnvironment,
): Finding[] {
  const globs = glob === null ? [] : (expandBraces(glob) ?? [])
  const isByName = globs.length > 0 && globs.every((one) => !/[/!\s]/.test(one))
  const accepts = (name: string) =>
    (!isByName || globs.some((one) => fits(one, name))) && (!isOfSources(type) || hasSourceEnding(name))
  return targets.flatMap(({ real, shown }) => {
    // The tool leaves out the folder of git, unless it is the one that is searched.
    const look = real === null ? null : lookThrough(environment, real, { accepts, skipsGit: true })
    if (look === null || look.kind === 'clean') return []
    const why =
      look.kind !== 'too large'
        ? reason('file.shows-protected', { path: look.path })
        : reason('file.tree-too-large', { path: shown })
    return [ask('protected-read', why)]
  })
}

/** The pattern is relative to the folder, so its fixed part decides where the search starts. */
export function judgeGlob(fields: Fields, environment: CallEnvironment): ToolFindings {
  const pattern = asText(fields['pattern']) ?? ''
  const folder = folderOf(fields, environment)
  const ways = isTooLongPattern(pattern) ? null : expandBraces(pattern)
  const findings = malformed('Glob', fields, ['path'])
  if (ways === null) findings.push(ask('too-large', reason('tool.pattern-too-long')))
  const starts = [folder, ...(ways ?? []).map((way) => startOf(folder, way))]
  const judged = judgePaths('look', new Set(starts), environment)
  findings.push(...judged.findings)
  const upward = ways?.find((way) => /(?:^|\/)\.\.(?:\/|$)|^~/.test(way))
  if (upward !== undefined)
    findings.push(ask('outside-workspace', reason('file.search-outside', { pattern: upward })))
  return {
    findings,
    uses: judged.targets.map((target) => ({ access: 'look', target, command: null })),
    shell: null,
  }
}

function startOf(folder: string, pattern: string): string {
  if (pattern === '') return folder
  const start = fixedFolder(pattern)
  return /^[/~]/.test(pattern) ? start : `${folder}/${start}`
}

function malformed(tool: string, fields: Fields, optional: readonly string[]): Finding[] {
  if (asText(fields['pattern']) === null) return [ask('malformed', reason('tool.no-pattern', { tool }))]
  const wrong = optional.find((name) => fields[name] !== undefined && asText(fields[name]) === null)
  return wrong === undefined ? [] : [ask('malformed', reason('tool.not-text', { field: wrong }))]
}

function leadsElsewhere(pattern: string): boolean {
  return /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(pattern)
}
