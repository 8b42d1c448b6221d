/** Texts that the server sends in English with a code: reasons and errors, in the user's language. */

import { type ErrorCode, HubError, type ReasonCode, type ReasonPart } from '../../../src/protocol/index.js'
import { fill } from './fill.js'

export type ReasonTexts = Readonly<Record<ReasonCode, string>>
export type ErrorTexts = Readonly<Record<ErrorCode, string>>

export interface ServerTexts {
  reasons: ReasonTexts
  errors: ErrorTexts
}

/** Null for English: the server's own texts are English. */
let texts: ServerTexts | null = null

export function setServerTexts(loaded: ServerTexts | null): void {
  texts = loaded
}

interface Explained {
  reason: string | null
  reasonParts?: readonly ReasonPart[] | undefined
}

/** The English text where there are no codes, or one that this page does not know: a newer server, or words of a user. */
export function reasonLabel({ reason, reasonParts = [] }: Explained): string {
  const english = reason ?? ''
  if (texts === null || reasonParts.length === 0) return english
  const { reasons } = texts
  if (!reasonParts.every(({ code }) => Object.hasOwn(reasons, code))) return english
  return reasonParts.map(({ code, params }) => fill(reasons[code as ReasonCode], params)).join(' ')
}

export function noticeLabel({
  text,
  textParts,
}: {
  text: string
  textParts?: Explained['reasonParts']
}): string {
  return reasonLabel({ reason: text, reasonParts: textParts })
}

export function errorLabel(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (texts === null || !(error instanceof HubError) || !Object.hasOwn(texts.errors, error.code))
    return message
  return fill(texts.errors[error.code], { message })
}
