/** Finds the sessions that can call a tool of ours, and the rules that name it. Pure. */

import type { PolicyRule, Session, ToolInfo } from '../../../src/protocol/index.js'

type ToolNames = Pick<ToolInfo, 'id' | 'agentName'>

/** A session without a list of tools has all of them. */
export function hasTool({ options }: Pick<Session, 'options'>, { id, agentName }: ToolNames): boolean {
  const { tools, disallowedTools = [] } = options
  const isNamed = (names: readonly string[]) => names.some((name) => name === id || name === agentName)
  return (!Array.isArray(tools) || isNamed(tools)) && !isNamed(disallowedTools)
}

/** Rules that match the tool by name or pattern. A rule for every tool (`*`) does not count. */
export function rulesForTool(rules: readonly PolicyRule[], { id, agentName }: ToolNames): PolicyRule[] {
  return rules.filter(({ when }) =>
    (when.tools ?? []).some(
      (pattern) => pattern !== '*' && [id, agentName].some((name) => matchesPattern(pattern, name)),
    ),
  )
}

/** `*` matches any text. ReDoS: as a regular expression a pattern with many stars would backtrack; this scan is linear. */
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
