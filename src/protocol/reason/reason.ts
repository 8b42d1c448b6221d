/** Why something was decided, as a code with parameters. The English text is always made from these, never written beside them. */

import { fillTemplate, type ReasonPart } from './reason-part.js'
import { type ReasonCode, type ReasonParams, templates } from './template.js'

/** A part with a code of ours. */
export interface Reason {
  readonly code: ReasonCode
  readonly params: Readonly<Record<string, string>>
}

/** Longer names are cut: a reason is one line on a card. */
const MAX_PARAM = 200

/** `part`, the piece of the command, is filled in by the caller that knows where it stands: see `withPart`. */
export function reason<Code extends ReasonCode>(
  code: Code,
  ...[params]: keyof ReasonParams<Code> extends never ? [] : [ReasonParams<Code>]
): Reason {
  return reasonOf(code, params ?? {})
}

/** The same where the code is computed and its parameters are not known to the compiler. */
export function reasonOf(code: ReasonCode, params: Readonly<Record<string, string>>): Reason {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) shown[name] = shownValue(value)
  return { code, params: shown }
}

/** Words of a user, a hook or Claude Code: shown as they are. */
export function quoted(code: QuotingCode, text: string): Reason {
  return { code, params: { text } }
}

type QuotingCode = 'rule.says' | 'hook.says' | 'claude.says'

const MAX_PART = 60

/** Adds the piece of the command to a reason whose text quotes it. */
export function withPart(given: Reason, part: string): Reason {
  // Called inside the check of a command: it must not throw, whatever the code is.
  if (!Object.hasOwn(templates, given.code) || !templates[given.code].includes('{part}')) return given
  return { ...given, params: { ...given.params, part: shownValue(part.trim(), MAX_PART) } }
}

/** The English text. A part with an unknown code, or without a parameter, shows what it has. */
export function reasonText(parts: readonly ReasonPart[]): string {
  return parts.map(partText).join(' ')
}

function partText({ code, params }: ReasonPart): string {
  const template = Object.hasOwn(templates, code) ? templates[code as ReasonCode] : code
  return fillTemplate(template, params)
}

/** The two fields of an object on the wire. They cannot disagree: one is made from the other. */
export function saying(...parts: readonly Reason[]): { reason: string; reasonParts: ReasonPart[] } {
  const reasonParts = parts.map(({ code, params }) => ({ code, params: { ...params } }))
  return { reason: reasonText(reasonParts), reasonParts }
}

/** A NUL stands for what is known only when the command runs. */
function shownValue(value: string, max = MAX_PARAM): string {
  if (value.length <= max && !/[\0\r\n]/.test(value)) return value
  const text = value.replaceAll('\0', '…').replaceAll(/[\r\n]+/g, ' ')
  if (text.length <= max) return text
  // Never between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[max - 1] ?? '') ? max - 1 : max
  return `${text.slice(0, end)}…`
}
