/** Suggests a rule for a call: one that would have allowed it and similar calls, and nothing wider. */

import { dirname } from 'node:path'
import { asRecord, asText } from '../../lib/read-json.js'
import type { PolicyRule, RuleConditions } from '../../protocol/policy/policy.js'
import type { PolicyCall } from '../call.js'
import { judgeCall } from '../evaluate.js'
import { environmentOf } from '../facts.js'
import { isInside } from '../file/path.js'
import type { ReadCommand } from '../shell/shell-report.js'
import { EDIT_TOOLS, SHELL_TOOLS } from '../tool/judge-tool.js'
import type { ToolFindings } from '../tool/tool-findings.js'
import { readFileCommand } from './file-operand.js'

export function suggestRule(call: PolicyCall): PolicyRule {
  const judged = judgeCall(call)
  const when = conditionsFor(call, judged)
  const about = when.commands?.join(', ') ?? when.paths?.join(', ')
  const name = about === undefined ? `allow ${call.tool}` : `allow ${call.tool}: ${about}`
  return { name: name.slice(0, 100), verdict: 'allow', when }
}

function conditionsFor(call: PolicyCall, judged: ToolFindings): RuleConditions {
  const { tool, input } = call
  const { realWorkspace } = environmentOf(call)
  if (SHELL_TOOLS.has(tool)) {
    const commands = patternsFor(judged)
    if (commands.length > 0) return { tools: [tool], commands }
    // No rule allows a text that cannot be read, so this rule covers nothing else either.
    const text = asText(asRecord(input)['command']) ?? ''
    return { tools: [tool], commands: [escapePattern(text).slice(0, MAX_PATTERN) || '…'] }
  }
  const [use] = judged.uses
  const path = use?.target.real ?? null
  if (use === undefined || path === null || !(EDIT_TOOLS.has(tool) || tool === 'Read'))
    return { tools: [tool] }
  // In the workspace the rule covers the folder, elsewhere only this file.
  if (!isInside(realWorkspace, path)) return { tools: [tool], paths: [escapePattern(path)] }
  const folder = dirname(path).slice(realWorkspace.length + 1)
  return { tools: [tool], paths: [folder === '' ? '*' : `${escapePattern(folder)}/**`] }
}

/** Patterns for the commands with findings, with other files only where their operands are files that they change. */
function patternsFor({ findings, shell }: ToolFindings): string[] {
  const commands = shell?.commands ?? []
  const asked = new Set(findings.flatMap(({ command }) => (command === null ? [] : [command])))
  // Without findings about any command, the policy asks because the whole text is not proven.
  const meant = asked.size === 0 ? commands : commands.filter((_, index) => asked.has(index))
  const patterns = meant.map(patternFor).filter((pattern) => pattern !== '' && pattern.length <= MAX_PATTERN)
  return [...new Set(patterns)].slice(0, 100)
}

/** One word that is not an option. */
const OPERAND = '[!-]*'
/** The maximum length of a pattern in a rule. */
export const MAX_PATTERN = 500

function patternFor({ words }: ReadCommand): string {
  const files = readFileCommand(words)
  const fixed = files?.fixed ?? words
  return [...fixed.map(escapePattern), ...(files?.files ?? []).map(() => OPERAND)].join(' ')
}

/** Escapes spaces as well, because a pattern is split into words at spaces. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\*?[\](){}!+@|\s]/g, '\\$&')
}
