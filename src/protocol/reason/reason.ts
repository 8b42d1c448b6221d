/**
 * The reason of a decision, as a code with parameters. The English text is always derived from these, never written
 * separately.
 */

import { fillTemplate, type ReasonPart } from './reason-part.js'
import { type ReasonCode, type ReasonParams, templates } from './template.js'

/** A part with a code from our table. */
export interface Reason {
  readonly code: ReasonCode
  readonly params: Readonly<Record<string, string>>
}

/** Longer parameters are truncated: a reason is one line on a card. */
const MAX_PARAM = 200

/** `part`, the piece of the command, is added later by the caller that knows its position (`withPart`). */
export function reason<Code extends ReasonCode>(
  code: Code,
  ...[params]: keyof ReasonParams<Code> extends never ? [] : [ReasonParams<Code>]
): Reason {
  return reasonOf(code, params ?? {})
}

/** Untyped variant, for computed codes. */
export function reasonOf(code: ReasonCode, params: Readonly<Record<string, string>>): Reason {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) shown[name] = shownValue(value)
  return { code, params: shown }
}

/** Text of a user, a hook or Claude Code, shown unchanged. */
export function quoted(code: QuotingCode, text: string): Reason {
  return { code, params: { text } }
}

type QuotingCode = 'rule.says' | 'user.says' | 'hook.says' | 'claude.says'

const MAX_PART = 60

/** Adds the piece of the command, if the text of the reason quotes it. */
export function withPart(given: Reason, part: string): Reason {
  // Runs inside the check of a command, so it must not throw for any code.
  if (!Object.hasOwn(templates, given.code) || !templates[given.code].includes('{part}')) return given
  return { ...given, params: { ...given.params, part: shownValue(part.trim(), MAX_PART) } }
}

/** The English text. For an unknown code or a missing parameter, shows the code or the placeholder. */
export function reasonText(parts: readonly ReasonPart[]): string {
  return parts.map(partText).join(' ')
}

function partText({ code, params }: ReasonPart): string {
  const template = Object.hasOwn(templates, code) ? templates[code as ReasonCode] : code
  return fillTemplate(template, params)
}

/** Both wire fields of a reason. They cannot disagree, because the text is derived from the parts. */
export function saying(...parts: readonly ReasonPart[]): { reason: string; reasonParts: ReasonPart[] } {
  const reasonParts = parts.map(({ code, params }) => ({ code, params: { ...params } }))
  return { reason: reasonText(reasonParts), reasonParts }
}

/** The inverse of `saying`: free text of a user has no parts. */
export function reasonIn({ reason: text, reasonParts }: WireReason): Reason | string {
  const [part] = reasonParts ?? []
  return part ? (part as Reason) : text // Cast: the codes of stored reasons are ours.
}

interface WireReason {
  readonly reason: string
  readonly reasonParts?: readonly ReasonPart[] | undefined
}

/** NUL marks a value that is known only when the command runs; shown as an ellipsis. */
function shownValue(value: string, max = MAX_PARAM): string {
  if (value.length <= max && !/[\0\r\n]/.test(value)) return value
  // Only the beginning is shown, so only the beginning of a long value is read.
  const head = value.slice(0, 4 * max)
  const text = head.replaceAll('\0', '…').replaceAll(/[\r\n]+/g, ' ')
  if (text.length <= max) return head === value ? text : `${text}…`
  // Does not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[max - 1] ?? '') ? max - 1 : max
  return `${text.slice(0, end)}…`
}
