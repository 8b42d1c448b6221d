/**
 * The fields of a rule as text, and back. A form changes only the fields that the user edits, so nothing that a form
 * cannot show is lost. Pure.
 */

import type { PolicyFile, PolicyRule } from '../../../../src/protocol/index.js'

/** Conditions that are lists of patterns, one per line. */
export const PATTERN_FIELDS = ['tools', 'commands', 'paths', 'workspaces', 'servers', 'agents'] as const
export type PatternField = (typeof PATTERN_FIELDS)[number]

/** Conditions that are chosen from a list. */
export const CHOICES = {
  access: ['look', 'read', 'write', 'delete', 'move', 'rights', 'copy', 'send', 'make'],
  sources: ['user', 'project', 'local', 'plugin', 'sdk', 'unknown'],
  modes: ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'],
} as const satisfies Partial<Record<keyof PolicyRule['when'], readonly string[]>>
export type ChoiceField = keyof typeof CHOICES

export const NEW_RULE: PolicyRule = { name: '', verdict: 'ask', when: {} }

export function listText(list: readonly string[] | undefined): string {
  return (list ?? []).join('\n')
}

export function readList(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Whether lines of text can hold the list: a pattern with a line break, or with spaces at its ends, they cannot. */
export function isPlain(list: readonly string[] | undefined): boolean {
  return JSON.stringify(readList(listText(list))) === JSON.stringify(list ?? [])
}

type When = PolicyRule['when']

/** An empty list is no condition. */
export function withCondition<Field extends keyof When>(
  rule: PolicyRule,
  field: Field,
  values: NonNullable<When[Field]>,
): PolicyRule {
  const { [field]: _, ...others } = rule.when
  return { ...rule, when: values.length === 0 ? others : inOrder({ ...others, [field]: values }) }
}

const ORDER = ['tools', 'commands', 'paths', 'access', 'servers', 'sources', 'workspaces', 'agents', 'modes']

function inOrder(when: When): When {
  const entries = Object.entries(when).toSorted(([one], [two]) => ORDER.indexOf(one) - ORDER.indexOf(two))
  return Object.fromEntries(entries)
}

export function withReason(rule: PolicyRule, reason: string): PolicyRule {
  const { reason: _, ...others } = rule
  return reason === '' ? others : { ...others, reason }
}

/** Null: no end. */
export function withEnd(rule: PolicyRule, until: string | null): PolicyRule {
  const { until: _, ...others } = rule
  return until === null ? others : { ...others, until }
}

/** For a field of the type `datetime-local`, which has no seconds. */
export function localTime(until: string): string {
  const at = new Date(until)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Null for text that is no time. */
export function fromLocalTime(text: string): string | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** The policy in force as the content of its file. `denyFirst` says nothing with `careful`, where denials always come first. */
export function fileOf({ preset, denyFirst, ...policy }: PolicyFile): PolicyFile {
  return { preset, ...(preset === 'classic' && { denyFirst: denyFirst === true }), ...policy }
}
