/** A rule from a call: what would have allowed it and its like, and nothing wider than one would say in words. */

import { dirname } from 'node:path'
import { asRecord, asText } from '../../lib/read-json.js'
import type { PolicyRule, RuleConditions } from '../../protocol/policy/policy.js'
import type { PolicyCall } from '../call.js'
import { judgeCall } from '../evaluate.js'
import { worldOf } from '../facts.js'
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
  const { realWorkspace } = worldOf(call)
  if (SHELL_TOOLS.has(tool)) {
    const commands = patternsFor(judged)
    if (commands.length > 0) return { tools: [tool], commands }
    // What cannot be read is allowed by no rule, so this one covers nothing else either.
    const text = asText(asRecord(input)['command']) ?? ''
    return { tools: [tool], commands: [escape(text).slice(0, MAX_PATTERN) || '…'] }
  }
  const [use] = judged.uses
  const path = use?.target.real ?? null
  if (use === undefined || path === null || !(EDIT_TOOLS.has(tool) || tool === 'Read'))
    return { tools: [tool] }
  // In the workspace the folder is meant, elsewhere the very file.
  if (!isInside(realWorkspace, path)) return { tools: [tool], paths: [escape(path)] }
  const folder = dirname(path).slice(realWorkspace.length + 1)
  return { tools: [tool], paths: [folder === '' ? '*' : `${escape(folder)}/**`] }
}

/** The commands that are asked about, with other files only where their operands are files that they change. */
function patternsFor({ findings, shell }: ToolFindings): string[] {
  const commands = shell?.commands ?? []
  const asked = new Set(findings.flatMap(({ command }) => (command === null ? [] : [command])))
  // Where nothing speaks against any of them, the text as a whole is not proven.
  const meant = asked.size === 0 ? commands : commands.filter((_, index) => asked.has(index))
  const patterns = meant.map(patternFor).filter((pattern) => pattern !== '' && pattern.length <= MAX_PATTERN)
  return [...new Set(patterns)].slice(0, 100)
}

/** One word that is no option. */
const OPERAND = '[!-]*'
/** As long as a pattern of a rule may be. */
const MAX_PATTERN = 500

function patternFor({ words }: ReadCommand): string {
  const files = readFileCommand(words)
  const fixed = files?.fixed ?? words
  return [...fixed.map(escape), ...(files?.files ?? []).map(() => OPERAND)].join(' ')
}

/** Also a space: a pattern is cut into words at spaces. */
function escape(text: string): string {
  return text.replaceAll(/[\\*?[\](){}!+@|\s]/g, '\\$&')
}
