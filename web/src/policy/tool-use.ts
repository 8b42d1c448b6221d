/** Who has a tool of ours, and which rules speak of it. Pure. */

import type { PolicyRule, Session, ToolInfo } from '../../../src/protocol/index.js'

type ToolNames = Pick<ToolInfo, 'id' | 'agentName'>

/** Without a list of tools a session has all of them. */
export function hasTool({ options }: Pick<Session, 'options'>, { id, agentName }: ToolNames): boolean {
  const { tools, disallowedTools = [] } = options
  const isNamed = (names: readonly string[]) => names.some((name) => name === id || name === agentName)
  return (!Array.isArray(tools) || isNamed(tools)) && !isNamed(disallowedTools)
}

/** Rules that name it, by its whole name or by a pattern. Those for every tool speak of none. */
export function rulesForTool(rules: readonly PolicyRule[], { id, agentName }: ToolNames): PolicyRule[] {
  return rules.filter(({ when }) =>
    (when.tools ?? []).some(
      (pattern) => pattern !== '*' && [id, agentName].some((name) => matchesPattern(pattern, name)),
    ),
  )
}

/** `*` stands for any text. In steps rather than by a regular expression, which some patterns would keep busy for ever. */
function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
