/** Errors of Signalbox as errors of the protocol: with their code, and a text for the user. */

import { RequestError } from '@agentclientprotocol/sdk'
import { type ErrorCode, HubError } from '../../protocol/error.js'

const INVALID_PARAMS = -32_602
const INTERNAL = -32_603
const NOT_FOUND = -32_002

const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  request_invalid: INVALID_PARAMS,
  message_invalid: INVALID_PARAMS,
  option_refused: INVALID_PARAMS,
  workspace_not_found: INVALID_PARAMS,
  session_not_found: NOT_FOUND,
  conversation_not_found: NOT_FOUND,
}

export function refusalOf(error: unknown): unknown {
  if (!(error instanceof HubError)) return error
  return new RequestError(CODES[error.code] ?? INTERNAL, error.message, { code: error.code })
}

/** A turn that ended without a result. */
export function turnFailed(message: string, stopReason: string): RequestError {
  return new RequestError(INTERNAL, message, { code: 'turn_failed', stopReason })
}
