/** Edits the text of a policy file: a comment stays if the entry beside it stays. Pure. */

import { isDeepStrictEqual } from 'node:util'
import { applyEdits, type JSONPath, modify, type ParseError, parse } from 'jsonc-parser'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import type { PolicyFile } from '../../protocol/policy/policy-body.js'

/** Changes only what differs; a missing or unreadable text is written from scratch. */
export function changePolicyText(text: string | null, policy: PolicyFile): string {
  const before = text === null ? null : readRecord(text)
  if (text === null || before === null) return `${JSON.stringify(policy, null, 2)}\n`
  const { rules, ...settings } = policy
  const gone = Object.keys(before).filter((name) => !(name in policy))
  const changed = Object.entries(settings).filter(([name, value]) => !isDeepStrictEqual(value, before[name]))
  let result = text
  for (const name of gone) result = set(result, [name], undefined)
  for (const [name, value] of changed) result = set(result, [name], value)
  return Array.isArray(before['rules'])
    ? changeRules(result, before['rules'], rules)
    : set(result, ['rules'], rules)
}

function changeRules(text: string, before: readonly unknown[], rules: readonly PolicyRule[]): string {
  const wanted = new Set<unknown>(rules.map(({ name }) => name))
  const kept = before.filter((rule) => wanted.has(nameOf(rule)))
  // After a reordering, comments cannot follow their rules.
  if (kept.some((rule, index) => nameOf(rule) !== rules[index]?.name)) return set(text, ['rules'], rules)
  let result = text
  for (const [index, rule] of [...before.entries()].toReversed())
    if (!kept.includes(rule)) result = set(result, ['rules', index], undefined)
  for (const [index, rule] of rules.entries())
    if (!isDeepStrictEqual(rule, kept[index])) result = set(result, ['rules', index], rule)
  return result
}

function set(text: string, place: JSONPath, value: unknown): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 }
  return applyEdits(text, modify(text, place, value, { formattingOptions }))
}

function nameOf(rule: unknown): unknown {
  return isRecord(rule) ? rule['name'] : undefined
}

function readRecord(text: string): Record<string, unknown> | null {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length === 0 && isRecord(value) ? value : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
