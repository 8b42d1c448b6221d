/**
 * Scope of "Allow for this session": the narrowest pattern around the call that the user has seen. It covers the same
 * program with the same words in the same folder; other files only for programs whose operands are files that they
 * change; and never a call with more findings than the granted one. A call without such a pattern is granted exactly.
 */

import { digest } from '../../lib/digest.js'
import { asRecord, asText } from '../../lib/read-json.js'
import { BudgetUsedUp, spend } from '../../lib/step-budget.js'
import type { Grant } from '../../protocol/event/request-event.js'
import { withBudget } from '../budget.js'
import type { PolicyCall } from '../call.js'
import { factsOf } from '../facts.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { hasOtherNames } from '../file/file-access.js'
import { absolute, follow, isInside } from '../file/path.js'
import { protectionOf } from '../file/protected.js'
import type { Finding } from '../finding.js'
import type { CoveredManner } from '../proof/prove.js'
import { SHELL_TOOLS } from '../tool/judge-tool.js'
import type { ToolFindings } from '../tool/tool-findings.js'
import { structureProof } from './allowance.js'
import { readFileCommand } from './file-operand.js'
import type { Facts } from './match-rule.js'

/** The only shell that runs its text as the proof reads it. Texts for other shells are granted exactly. */
const PROVEN_SHELL = 'Bash'

/** Covers only this exact call, whatever its findings: for requests of which only the call is known. */
export function exactGrant(tool: string, input: unknown): Grant {
  if (!SHELL_TOOLS.has(tool)) return { tool, inputDigest: inputDigest(input) }
  return { tool, command: asText(asRecord(input)['command']) ?? '' }
}

/** The grant of a user who allows this call for the rest of the session. */
export function grantFor(call: PolicyCall): Grant {
  try {
    return withBudget((budget) => {
      const facts = factsOf(call)
      budget.openReserve()
      return SHELL_TOOLS.has(call.tool) ? shellGrant(facts) : toolGrant(facts)
    })
  } catch (error) {
    if (error instanceof BudgetUsedUp) return { ...exactGrant(call.tool, call.input), folder: call.cwd }
    throw error
  }
}

/**
 * A tool that changes files may change other files of the workspace, one that fetches pages may fetch others of the
 * same server, and a foreign tool may be called again. A call that runs code, deletes or has a wider effect is granted
 * exactly.
 */
function toolGrant({ call, judged }: Facts): Grant {
  const { tool, input } = call
  const findings = rulesOf(judged.findings)
  const isOnly = (...rules: readonly string[]) => findings.every((rule) => rules.includes(rule))
  const origin = originOf(call)
  if (origin !== null && isOnly('network')) return { tool, origin, findings }
  if (tool !== FETCHER && (isOnly('tool', 'write') || isOnly('network'))) return { tool, findings }
  return { ...exactGrant(tool, input), findings }
}

const FETCHER = 'WebFetch'

/** The origin that a page is fetched from. */
function originOf({ tool, input }: PolicyCall): string | null {
  const url = tool === FETCHER ? asText(asRecord(input)['url']) : null
  if (url === null || url.length > MAX_URL || !URL.canParse(url)) return null
  const { protocol, origin, username, password } = new URL(url)
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === ''
  return isPlain ? origin : null
}

const MAX_URL = 4096

/** A command that is alone, or beside others that are proven to only read. */
function shellGrant(facts: Facts): Grant {
  const { call, judged, environment } = facts
  const findings = rulesOf(judged.findings)
  const text = { ...exactGrant(call.tool, call.input), folder: call.cwd, findings }
  const command = soleCommand(facts)
  if (command === null) return text
  const [folder = ''] = command.folders
  const files = isOnlyChange(judged.findings) ? readFileCommand(command.words) : null
  if (
    files !== null &&
    files.files.every((file) => isPlainFile(file, files.makesFolders, command, environment))
  )
    return {
      tool: call.tool,
      command: `${shown(files.fixed)} FILE…`,
      words: [...files.fixed],
      files: true,
      findings,
    }
  const place = folder === environment.realWorkspace ? '' : `cd ${shown([folder])} && `
  return {
    tool: call.tool,
    command: `${place}${shown(command.words)}`,
    words: [...command.words],
    folder,
    findings,
  }
}

interface CoveredCommand extends CoveredManner {
  words: readonly string[]
}

/** The one simple command that all findings are about, if the rest of the text is proven and it gets no input. */
function soleCommand(facts: Facts): CoveredCommand | null {
  const { call, judged } = facts
  if (call.tool !== PROVEN_SHELL) return null
  const covered: CoveredCommand[] = []
  const { isProven } = structureProof(facts, (words, manner) => covered.push({ words, ...manner }) > 0)
  const [first, ...others] = covered
  if (!isProven || first === undefined) return null
  if (!first.isPlain || first.folders.length !== 1) return null
  const isSame = ({ words, isPlain, folders }: CoveredCommand) =>
    isPlain && areEqual(words, first.words) && areEqual(folders, first.folders)
  if (!others.every(isSame)) return null
  const commands = judged.shell?.commands ?? []
  const isAbout = ({ command }: Finding) =>
    command !== null && areEqual(commands[command]?.words ?? [], first.words)
  return judged.findings.every(isAbout) ? first : null
}

/** It only changes files of the workspace. */
function isOnlyChange(findings: readonly Finding[]): boolean {
  return findings.length > 0 && findings.every(({ rule }) => rule === 'write')
}

/** Whether a call is covered by a grant of the user. */
export function isGranted(facts: Facts): boolean {
  const { call, judged } = facts
  const grants = (call.grants ?? []).filter((grant) => grant.tool === call.tool && !hasEnded(grant, call))
  if (grants.length === 0) return false
  if (!SHELL_TOOLS.has(call.tool)) return grants.some((grant) => coversTool(grant, call, judged))
  if (grants.some((grant) => coversText(grant, call, judged))) return true
  if (call.tool !== PROVEN_SHELL) return false
  const patterns = grants.filter(({ words }) => words !== undefined)
  const isFound = (finding: Finding) => patterns.some((grant) => coversFinding(grant, finding, judged))
  if (patterns.length === 0 || !judged.findings.every(isFound)) return false
  return structureProof(facts, (words, manner) =>
    patterns.some((grant) => coversCommand(grant, { words, ...manner }, facts.environment)),
  ).isProven
}

/** Grants of earlier versions have no findings: they cover files of the workspace, foreign tools, or the exact text. */
function coversTool(grant: Grant, call: PolicyCall, judged: ToolFindings): boolean {
  const { inputDigest: only, origin, findings } = grant
  if (only !== undefined && only !== inputDigest(call.input)) return false
  if (origin !== undefined && origin !== originOf(call)) return false
  return judged.findings.every(({ rule, verdict }) => {
    if (verdict === 'deny') return false
    if (findings === undefined) return only !== undefined || rule === 'write' || rule === 'tool'
    return findings.includes(rule)
  })
}

function coversText(grant: Grant, { input, cwd }: PolicyCall, judged: ToolFindings): boolean {
  const { command, words, folder, findings } = grant
  if (words !== undefined || command === undefined || command !== asText(asRecord(input)['command']))
    return false
  if (folder !== undefined && folder !== cwd) return false
  return findings === undefined || judged.findings.every(({ rule }) => findings.includes(rule))
}

/** The finding is about a command of the pattern, and of a kind that the user has seen. */
function coversFinding(grant: Grant, { rule, verdict, command }: Finding, { shell }: ToolFindings): boolean {
  if (verdict === 'deny' || grant.findings?.includes(rule) !== true) return false
  const words = shell?.commands[command ?? -1]?.words ?? []
  spend(1 + words.length / 4)
  return command !== null && fitsWords(grant, words)
}

function coversCommand(grant: Grant, command: CoveredCommand, environment: CallEnvironment): boolean {
  const { words, folders, isPlain } = command
  if (!isPlain || !fitsWords(grant, words)) return false
  if (grant.files !== true) return folders.every((folder) => folder === grant.folder)
  const { files = [], makesFolders = false } = readFileCommand(words) ?? {}
  return files.every((file) => isPlainFile(file, makesFolders, command, environment))
}

function fitsWords({ words = [], files }: Grant, given: readonly string[]): boolean {
  const fixed = files === true ? readFileCommand(given)?.fixed : given
  return fixed !== undefined && areEqual(fixed, words)
}

/** A file of the workspace that is neither protected nor a folder: the user has not seen the files in a folder. */
function isPlainFile(
  file: string,
  mayBeFolder: boolean,
  { folders }: CoveredCommand,
  environment: CallEnvironment,
): boolean {
  const { fs, realWorkspace } = environment
  return folders.every((folder) => {
    const path = absolute(folder, file)
    const real = follow(fs, path, { last: true })
    if (real === null || !isInside(realWorkspace, real) || real === realWorkspace) return false
    // A file with several names may be a protected one under an ordinary name.
    if (protectionOf(real) !== null || hasOtherNames(real, environment)) return false
    return mayBeFolder || fs.list(real) === null
  })
}

function hasEnded({ until }: Grant, { now }: PolicyCall): boolean {
  return until !== undefined && (now === undefined || until <= now)
}

function rulesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ rule }) => rule))].toSorted()
}

function inputDigest(input: unknown): string {
  return digest(JSON.stringify(input) ?? '')
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at])
}

/** Quotes words for a shell. */
function shown(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ')
}
