/** Whether a rule holds for a call, and which findings a rule that allows does away with. */

import picomatch from 'picomatch'
import type { PolicyRule } from '../protocol/policy.js'
import type { PolicyCall } from './call.js'
import type { Finding } from './finding.js'
import { ORDINARY_RULES } from './finding.js'
import { type Judged, SHELL_TOOLS } from './judge-tool.js'
import { nameOf } from './path.js'
import type { PathUse, ReadCommand } from './shell/reader.js'
import type { World } from './world.js'

export interface Facts {
  call: PolicyCall
  judged: Judged
  world: World
}

/** For a rule that denies or asks: one command and one file that fit are enough. */
export function holds(rule: PolicyRule, facts: Facts): boolean {
  const { commands, paths, access } = rule.when
  if (!fitsCall(rule, facts)) return false
  if (commands !== undefined && !commandsOf(facts).some((command) => fitsCommand(commands, command.words)))
    return false
  const usesMatter = paths !== undefined || access !== undefined
  return !usesMatter || facts.judged.uses.some((use) => fitsUse(rule, use, facts.world))
}

/** Whether a rule says nothing about the parts of a call: it is meant for all of it. */
export function isForWholeCall({ when }: PolicyRule): boolean {
  return when.commands === undefined && when.paths === undefined && when.access === undefined
}

/** Whether a rule for commands names these words. */
export function namesWords({ when }: PolicyRule, words: readonly string[]): boolean {
  return when.commands !== undefined && fitsCommand(when.commands, words)
}

/**
 * For a rule that allows: what it does away with. A rule for commands covers what those commands ordinarily do in the
 * workspace; with paths, what they do to those; a rule for nothing but tools covers the whole call, if it can be read.
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
    const isMeant = !needsUses || (uses.length > 0 && uses.every((use) => fitsUse(rule, use, facts.world)))
    return ({ rule: found }) => isMeant && commands === undefined && !UNREADABLE.has(found)
  }
  return (finding) => {
    const command = finding.command === null ? undefined : commandsOf(facts)[finding.command]
    if (command === undefined) return finding.rule === 'tool'
    if (commands !== undefined && !fitsCommand(commands, command.words)) return false
    if (paths === undefined && access === undefined) return ORDINARY_RULES.has(finding.rule)
    const uses = facts.judged.uses.filter((use) => use.command === finding.command)
    return uses.every((use) => fitsUse(rule, use, facts.world)) && LIFTED_BY_PATHS.has(finding.rule)
  }
}

/** What nobody can read nobody has allowed. */
const UNREADABLE: ReadonlySet<Finding['rule']> = new Set([
  'malformed',
  'unreadable',
  'too-large',
  'look-alike',
])

const LIFTED_BY_PATHS: ReadonlySet<Finding['rule']> = new Set([
  ...ORDINARY_RULES,
  'outside-workspace',
  'control-file',
])

function commandsOf({ judged }: Facts): readonly ReadCommand[] {
  return judged.shell?.commands ?? []
}

/** Whether what a rule says of the call as a whole is so: its tool, server, workspace, agent and mode. */
export function fitsCall({ when }: PolicyRule, { call, world }: Facts): boolean {
  const { tools, servers, sources, workspaces, agents, modes, commands } = when
  if (commands !== undefined && !SHELL_TOOLS.has(call.tool)) return false
  if (tools !== undefined && !fitsText(tools, call.tool)) return false
  if (servers !== undefined && !fitsText(servers, serverOf(call.tool) ?? '')) return false
  if (sources !== undefined && !isFrom(sources, call)) return false
  if (workspaces !== undefined && !fitsPath(workspaces, world.realWorkspace, world)) return false
  if (agents !== undefined && !fitsText(agents, call.agent ?? 'main')) return false
  return modes === undefined || modes.includes(call.mode)
}

function isFrom(sources: readonly string[], { tool, serverSource }: PolicyCall): boolean {
  return serverOf(tool) !== null && sources.includes(serverSource ?? 'unknown')
}

/** `mcp__github__create_issue` is of the server `github`. */
export function serverOf(tool: string): string | null {
  return /^mcp__(.+?)__./.exec(tool)?.[1] ?? null
}

function fitsText(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => pattern === text || matcher(pattern, text))
}

function fitsUse({ when }: PolicyRule, { access, target }: PathUse, world: World): boolean {
  if (when.access !== undefined && !when.access.includes(access)) return false
  if (when.paths === undefined) return true
  const place = target.real ?? target.path
  return target.isKnown && fitsPath(when.paths, place, world)
}

function fitsPath(patterns: readonly string[], path: string, world: World): boolean {
  return patterns.some((pattern) => {
    if (pattern.startsWith('/')) return matcher(pattern, path)
    if (pattern.startsWith('~/')) return matcher(`${world.home}${pattern.slice(1)}`, path)
    return matcher(`${world.realWorkspace}/${pattern}`, path)
  })
}

/** Word by word; the program is compared without its folder. */
function fitsCommand(patterns: readonly string[], words: readonly string[]): boolean {
  const [program = '', ...rest] = words
  return patterns.some((pattern) => fitsWords(pattern.trim().split(/\s+/), [nameOf(program), ...rest]))
}

function fitsWords(patterns: readonly string[], words: readonly string[]): boolean {
  const [pattern, ...others] = patterns
  if (pattern === undefined) return words.length === 0
  if (pattern === '**') {
    return others.length === 0 || words.some((_, start) => fitsWords(others, words.slice(start)))
  }
  const [word, ...rest] = words
  return word !== undefined && (pattern === word || fitsWord(pattern, word)) && fitsWords(others, rest)
}

/** In words of a command a star may stand for slashes as well. */
function fitsWord(pattern: string, word: string): boolean {
  return matcher(pattern.replaceAll('/', '\u0001'), word.replaceAll('/', '\u0001'))
}

const matchers = new Map<string, (text: string) => boolean>()
const MAX_MATCHERS = 2000

function matcher(pattern: string, text: string): boolean {
  let matches = matchers.get(pattern)
  if (matches === undefined) {
    if (matchers.size > MAX_MATCHERS) matchers.clear()
    matches = picomatch(pattern, { dot: true, nonegate: true })
    matchers.set(pattern, matches)
  }
  return text.length <= 4096 && matches(text)
}
