/** Which rule answers a request. */

import { matchPattern } from './pattern.js'
import type { RequestFacts } from './request.js'
import type { Rule, When } from './script.js'

export interface Choice {
  rule: Rule
  index: number
  /** Values for the placeholders of the reply. */
  values: Readonly<Record<string, string>>
}

/** The first rule that matches and is not used up. `used` counts how often each rule has answered. */
export function chooseRule(
  rules: readonly Rule[],
  facts: RequestFacts,
  call: number,
  used: readonly number[],
): Choice | null {
  for (const [index, rule] of rules.entries()) {
    if (rule.times !== undefined && (used[index] ?? 0) >= rule.times) continue
    const groups = matchWhen(rule.when, facts, call)
    if (groups) return { rule, index, values: valuesOf(facts, groups) }
  }
  return null
}

function matchWhen(when: When, facts: RequestFacts, call: number): readonly string[] | null {
  if (when.call !== undefined && when.call !== call) return null
  if (when.model !== undefined && !matchPattern(when.model, facts.model)) return null
  if (when.agent !== undefined && !matchPattern(when.agent, `${facts.system}\n${facts.firstUser}`))
    return null
  if ((when.toolResult ?? when.isError) !== undefined && !matchResult(when, facts)) return null
  let groups: readonly string[] = []
  for (const [pattern, text] of [
    [when.injected, facts.injected],
    [when.user, facts.user],
  ] as const) {
    if (pattern === undefined) continue
    const match = matchPattern(pattern, text)
    if (!match) return null
    groups = match.groups
  }
  return groups
}

function matchResult(when: When, facts: RequestFacts): boolean {
  return facts.toolResults.some(
    (result) =>
      (when.toolResult === undefined || when.toolResult === '*' || when.toolResult === result.name) &&
      (when.isError === undefined || when.isError === result.isError),
  )
}

function valuesOf(facts: RequestFacts, groups: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {
    user: facts.user,
    injected: facts.injected,
    history: facts.history,
    cwd: facts.cwd,
    toolResult: facts.toolResults.map((result) => result.text).join('\n'),
  }
  for (const [index, group] of groups.entries()) values[`match.${index}`] = group
  return values
}

/** Fills `{{name}}` in every string of a value; an unknown name stays as it is. */
export function fill<T>(value: T, values: Readonly<Record<string, string>>): T {
  if (typeof value === 'string') {
    return value.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => values[name] ?? whole) as T
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, values)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)])) as T
}
