/**
 * Proposes rules for a call, from narrow to wide: exactly this call, the same program and flags with other operands, or a
 * pattern. Each covers the call that the user has seen; what else it covers is shown by `nearbyCalls`.
 */

import type { PolicyRule, RuleConditions } from '../../protocol/policy/policy.js'
import type { RuleScope } from '../../protocol/policy/policy-body.js'
import type { PolicyCall } from '../call.js'
import { judgeCall } from '../evaluate.js'
import { environmentOf } from '../facts.js'
import { isInside } from '../file/path.js'
import { escapePattern, MAX_PATTERN, suggestRule } from '../rule/suggest-rule.js'
import { EDIT_TOOLS, SHELL_TOOLS } from '../tool/judge-tool.js'
import type { ToolFindings } from '../tool/tool-findings.js'
import { askedCommands } from './asked-command.js'

export interface ProposalChoice {
  scope: RuleScope
  /** Only in the workspace of the call. */
  isInFolder?: boolean
  until?: string | undefined
}

/** The scopes that differ from each other, narrowest first. Empty: no rule can name this call. */
export function scopesFor(call: PolicyCall): RuleScope[] {
  const judged = judgeCall(call)
  const seen = new Set<string>()
  return SCOPES.filter((scope) => {
    const when = conditionsFor(scope, call, judged)
    const key = JSON.stringify(when)
    return when !== null && !seen.has(key) && seen.add(key)
  })
}

const SCOPES: readonly RuleScope[] = ['exact', 'flags', 'pattern']

export function proposeRule(
  call: PolicyCall,
  { scope, isInFolder = false, until }: ProposalChoice,
): PolicyRule | null {
  const conditions = conditionsFor(scope, call, judgeCall(call))
  if (conditions === null) return null
  const folder = escapePattern(environmentOf(call).realWorkspace)
  const when = { ...conditions, ...(isInFolder && { workspaces: [folder] }) }
  const about = when.commands?.join(', ') ?? when.paths?.join(', ')
  const name = about === undefined ? `allow ${call.tool}` : `allow ${call.tool}: ${about}`
  return {
    name: name.slice(0, 100),
    verdict: 'allow',
    when,
    ...(until !== undefined && { until }),
  }
}

function conditionsFor(scope: RuleScope, call: PolicyCall, judged: ToolFindings): RuleConditions | null {
  const { tool } = call
  if (SHELL_TOOLS.has(tool)) {
    const asked = askedCommands(judged)
    // A rule for some of the words would cover another command than the one that was shown.
    if (asked.length === 0 || asked.some(({ isSure }) => !isSure.every(Boolean))) return null
    if (scope === 'pattern') return suggestRule(call).when
    const write = scope === 'exact' ? exactPattern : flagPattern
    const commands = [...new Set(asked.map(({ words }) => write(words)))]
    return commands.every((pattern) => pattern.length <= MAX_PATTERN) ? { tools: [tool], commands } : null
  }
  const [use] = judged.uses
  const path = use?.target.real ?? null
  const isFileTool = EDIT_TOOLS.has(tool) || tool === 'Read'
  if (scope === 'pattern') return isFileTool && path === null ? null : suggestRule(call).when
  if (scope === 'flags' || path === null || !isFileTool) return null
  const { realWorkspace } = environmentOf(call)
  const shown = isInside(realWorkspace, path) ? path.slice(realWorkspace.length + 1) : path
  return { tools: [tool], paths: [escapePattern(shown)] }
}

function exactPattern(words: readonly string[]): string {
  return words.map(escapePattern).join(' ')
}

/** Programs whose first operand is a command of their own, which is never left open. */
const VERB_PROGRAMS: ReadonlySet<string> = new Set(
  'git gh npm pnpm yarn bun npx pnpx bunx deno cargo go docker podman kubectl helm terraform make pip pip3 uv poetry python python3 node ruby perl bash sh systemctl apt apt-get brew'.split(
    ' ',
  ),
)
/** Verbs with a verb behind them: `npm run build`, `docker compose up`. */
const OUTER_VERBS: ReadonlySet<string> = new Set('run exec compose remote config stash worktree'.split(' '))
/** One word that is not an option. */
const OPERAND = '[!-]*'

/** Options and the program's verb stay; an operand may be another ordinary one. A value of an option may be one, too. */
function flagPattern(words: readonly string[]): string {
  const [program = '', ...rest] = words
  let verbs = VERB_PROGRAMS.has(program) ? 1 : 0
  const written = rest.map((word) => {
    if (/^[-+]/.test(word) || /^[A-Za-z_][\w.-]*=/.test(word)) return escapePattern(word)
    if (verbs === 0) return OPERAND
    verbs = OUTER_VERBS.has(word) ? 1 : 0
    return escapePattern(word)
  })
  return [escapePattern(program), ...written].join(' ')
}
