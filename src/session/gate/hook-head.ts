/** Whether a skill, command or agent file brings hooks. They stand in its head, which is YAML. */

import { parse } from 'yaml'

/** Conservative: what the CLI might read in another way than we do counts as having some. */
export function hasHooksInHead(text: string): boolean {
  const [, head] = /^[\s\ufeff]*---[^\n]*\n([\s\S]*?)(?:\n---|$)/.exec(text) ?? []
  if (head === undefined) return false
  if (/hooks/i.test(head)) return true
  try {
    const value: unknown = parse(head)
    if (value === null) return false
    return (
      typeof value !== 'object' || Array.isArray(value) || keysIn(value).some((key) => /hooks/i.test(key))
    )
  } catch {
    return true
  }
}

/** Keys may be written with escapes, and merged from another part of the head. */
function keysIn(value: object): string[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    key,
    ...(typeof inner === 'object' && inner !== null ? keysIn(inner as object) : []),
  ])
}
