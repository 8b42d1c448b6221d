/** Who has a tool of ours, and which rules speak of it. Pure. */

import type { PolicyRule, Session, ToolInfo } from '../../../src/protocol/index.js'

type Named = Pick<ToolInfo, 'id' | 'agentName'>

/** Without a list of tools a session has all of them. */
export function hasTool({ options }: Pick<Session, 'options'>, { id, agentName }: Named): boolean {
  const { tools, disallowedTools = [] } = options
  const isNamed = (names: readonly string[]) => names.some((name) => name === id || name === agentName)
  return (tools === undefined || isNamed(tools)) && !isNamed(disallowedTools)
}

/** Rules that name it, by its whole name or by a pattern. Those for every tool speak of none. */
export function rulesNaming(rules: readonly PolicyRule[], { id, agentName }: Named): PolicyRule[] {
  return rules.filter(({ when }) =>
    (when.tools ?? []).some(
      (pattern) => pattern !== '*' && [id, agentName].some((name) => fits(pattern, name)),
    ),
  )
}

function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(name)
}
