/** Whether a rule matches a call, and which findings an allow rule lifts. */

import { globOf } from '../../lib/glob/glob.js'
import { spend } from '../../lib/step-budget.js'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import type { PolicyCall } from '../call.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { nameOf } from '../file/path.js'
import type { Finding } from '../finding.js'
import { isOrdinaryEffect } from '../finding.js'
import type { PathUse, ReadCommand } from '../shell/shell-report.js'
import { SHELL_TOOLS } from '../tool/judge-tool.js'
import type { ToolFindings } from '../tool/tool-findings.js'
import { fitsText, mayFitCommand, surelyFitsCommand } from './match-command.js'
import { fitsPath, isWithinPaths, type Meeting, meetsPaths } from './match-use.js'
import { isOrdinaryArgument } from './ordinary-argument.js'

export interface Facts {
  call: PolicyCall
  judged: ToolFindings
  environment: CallEnvironment
}

/** For a rule that denies or asks: one matching command and one matching file are enough. */
export function holds(rule: PolicyRule, facts: Facts): boolean {
  return meeting(rule, facts) === 'yes'
}

/** A file whose name is only known at run time may match the rule: the policy must ask the user. */
export function mayHold(rule: PolicyRule, facts: Facts): boolean {
  return meeting(rule, facts) === 'maybe'
}

function meeting(rule: PolicyRule, facts: Facts): Meeting {
  spend(5)
  const { commands, paths, access } = rule.when
  if (!fitsCall(rule, facts)) return 'no'
  if (commands !== undefined && !commandsOf(facts).some((command) => mayFitCommand(commands, command)))
    return 'no'
  if (paths === undefined && access === undefined) return 'yes'
  const found = new Set(facts.judged.uses.map((use) => meetsUse(rule, use, facts.environment)))
  return found.has('yes') ? 'yes' : found.has('maybe') ? 'maybe' : 'no'
}

function meetsUse({ when }: PolicyRule, use: PathUse, environment: CallEnvironment): Meeting {
  if (when.access !== undefined && !when.access.includes(use.access)) return 'no'
  return when.paths === undefined ? 'yes' : meetsPaths(when.paths, use, environment)
}

/** Whether a rule has no conditions on parts of a call, so that it applies to the whole call. */
export function isForWholeCall({ when }: PolicyRule): boolean {
  return when.commands === undefined && when.paths === undefined && when.access === undefined
}

/** Whether a rule for commands matches these words, all of which are known, in every folder in which they may run. */
export function namesWords(
  { when }: PolicyRule,
  words: readonly string[],
  { environment }: Facts,
  folders: readonly string[],
): boolean {
  const isOrdinary = (word: string) =>
    folders.every((folder) => isOrdinaryArgument(word, environment, folder))
  return when.commands !== undefined && surelyFitsCommand(when.commands, { words, isSure: [] }, isOrdinary)
}

/**
 * For a rule that allows: the findings that it lifts. A rule for commands lifts the ordinary effects of those commands
 * in the workspace; with paths, their effects on those paths; a rule for tools alone lifts all findings of the call, if
 * it can be read.
 */
export function lifts(rule: PolicyRule, facts: Facts): (finding: Finding) => boolean {
  const { commands, paths, access } = rule.when
  if (rule.verdict !== 'allow' || !fitsCall(rule, facts)) return () => false
  const isShell = SHELL_TOOLS.has(facts.call.tool)
  if (isShell && commands === undefined && paths === undefined && access === undefined) {
    return ({ rule: found }) => !UNREADABLE.has(found)
  }
  if (!isShell) {
    const { uses } = facts.judged
    const needsUses = paths !== undefined || access !== undefined
    const isMeant =
      !needsUses || (uses.length > 0 && uses.every((use) => fitsUse(rule, use, facts.environment)))
    return ({ rule: found }) => isMeant && commands === undefined && !UNREADABLE.has(found)
  }
  // One command may have thousands of findings.
  const isMeant = onceForEach((index: number) => {
    const command = commandsOf(facts)[index]
    if (command === undefined) return false
    const isOrdinary = (word: string) =>
      command.folders.every((folder) => isOrdinaryArgument(word, facts.environment, folder))
    if (commands !== undefined && !surelyFitsCommand(commands, command, isOrdinary)) return false
    if (paths === undefined && access === undefined) return true
    spend(facts.judged.uses.length)
    const uses = facts.judged.uses.filter((use) => use.command === index)
    return uses.every((use) => fitsUse(rule, use, facts.environment))
  })
  const isForPaths = paths !== undefined || access !== undefined
  return (finding) => {
    const { command, rule: found } = finding
    spend(1)
    const words = command === null ? undefined : commandsOf(facts)[command]?.words
    if (command === null || words === undefined) return found === 'tool'
    // A wildcard is meant for a script that edits or shows, not for one that runs programs.
    if (found === 'code' && EDITORS.has(nameOf(words[0] ?? '')))
      return (
        commands !== undefined &&
        surelyFitsCommand(commands, { words, isSure: [] }, () => false) &&
        isMeant(command)
      )
    const isLiftable = isOrdinaryEffect(finding) || (isForPaths && LIFTED_BY_PATHS.has(found))
    return isLiftable && isMeant(command)
  }
}

/** Remembers the answer for each argument. */
function onceForEach(answer: (index: number) => boolean): (index: number) => boolean {
  const known = new Map<number, boolean>()
  return (index) => {
    const before = known.get(index)
    if (before !== undefined) return before
    const found = answer(index)
    known.set(index, found)
    return found
  }
}

/** Findings about input that cannot be read, so the author of a rule cannot have meant to allow it. */
const UNREADABLE: ReadonlySet<Finding['rule']> = new Set([
  'malformed',
  'unreadable',
  'too-large',
  'look-alike',
])

const EDITORS: ReadonlySet<string> = new Set(['sed', 'gsed', 'awk', 'gawk', 'mawk', 'nawk', 'original-awk'])

const LIFTED_BY_PATHS: ReadonlySet<Finding['rule']> = new Set(['outside-workspace', 'control-file'])

function commandsOf({ judged }: Facts): readonly ReadCommand[] {
  return judged.shell?.commands ?? []
}

/** Whether the conditions on the whole call match: tool, server, workspace, agent and mode. */
export function fitsCall({ when, verdict }: PolicyRule, { call, environment }: Facts): boolean {
  const isAllowing = verdict === 'allow'
  const { tools, servers, sources, workspaces, agents, modes, commands } = when
  if (commands !== undefined && !SHELL_TOOLS.has(call.tool)) return false
  if (tools !== undefined && !fitsNames(tools, call.tool, isAllowing)) return false
  if (servers !== undefined && !fitsNames(servers, serverOf(call.tool) ?? '', isAllowing)) return false
  if (sources !== undefined && !isFrom(sources, call)) return false
  if (workspaces !== undefined && !fitsPath(workspaces, environment.realWorkspace, environment)) return false
  if (agents !== undefined && !fitsNames(agents, call.agent ?? 'main', isAllowing)) return false
  return modes === undefined || modes.includes(call.mode)
}

function isFrom(sources: readonly string[], { tool, serverSource }: PolicyCall): boolean {
  return serverOf(tool) !== null && sources.includes(serverSource ?? 'unknown')
}

/** `mcp__github__create_issue` belongs to the server `github`. */
export function serverOf(tool: string): string | null {
  return /^mcp__(.+?)__./.exec(tool)?.[1] ?? null
}

function fitsNames(patterns: readonly string[], name: string, isAllowing: boolean): boolean {
  return patterns.some(
    (pattern) =>
      pattern === name || fitsText(globOf(pattern, { braces: true, paths: true }), name, !isAllowing),
  )
}

/** For a rule that allows. */
function fitsUse({ when }: PolicyRule, use: PathUse, environment: CallEnvironment): boolean {
  if (when.access !== undefined && !when.access.includes(use.access)) return false
  return when.paths === undefined || isWithinPaths(when.paths, use, environment)
}
