/**
 * Error texts by reader. Operators and admins see the words of the request that were wrong. All others get
 * texts without any of them: redaction of a text that repeats the request would reveal which of its words are
 * secrets.
 */

import { redactJsonInSlices } from '../../lib/redact/redact-json.js'
import type { SecretSet } from '../../lib/redact/secret-set.js'
import type { ErrorBody, ErrorCode, HubError } from '../../protocol/error.js'
import { isAtLeast } from '../../protocol/role-rank.js'
import type { Identity } from './credentials.js'

/** `null`: not authenticated. */
export type Reader = Pick<Identity, 'role'> | null

export type ShowError = (error: HubError, reader: Reader) => Promise<ErrorBody>

export function createShowError({ redactEchoInSlices }: Pick<SecretSet, 'redactEchoInSlices'>): ShowError {
  return async (error, reader) => {
    if (!reader || !isAtLeast(reader.role, 'operator')) return plainBody(error)
    // Errors are often copied into places that others read.
    return redactJsonInSlices(error.toBody(), redactEchoInSlices)
  }
}

/** Without a word of the request. */
export function plainBody(error: HubError): ErrorBody {
  const { code, plainText = PLAIN_TEXTS[code] } = error
  return plainText === OWN ? error.toBody() : { error: { code, message: plainText, details: {} } }
}

/** The message and the details are made of the server's words alone: they are shown as they are. */
const OWN = Symbol('own')

/** Default text for viewers and unauthenticated requests, for all errors that are not about the request itself. */
const OTHER = 'The request was refused. See docs/errors.md.'

const PLAIN_TEXTS: Readonly<Record<ErrorCode, string | typeof OWN>> = {
  request_invalid: 'The request is invalid. See docs/protocol.md.',
  body_too_large: OWN,
  route_not_found: 'No such route. See docs/protocol.md.',
  method_not_allowed: 'The method is not allowed for this path. See docs/protocol.md.',
  host_not_allowed: OWN,
  origin_not_allowed: OWN,
  credential_missing: OWN,
  credential_invalid: OWN,
  role_insufficient: OWN,
  login_code_invalid: OWN,
  login_limited: OWN,
  requests_limited: OWN,
  token_not_found: 'No token has this id. List them with "signalbox token list".',
  token_name_taken: OTHER,
  session_not_found: 'No session has this id. List sessions with "signalbox sessions --all".',
  session_ended: 'The session has ended.',
  session_not_driven: OWN,
  session_observed: 'The session runs in a terminal.',
  workspace_not_found: 'The folder does not exist.',
  workspace_not_allowed: OTHER,
  parent_not_trusted: OTHER,
  agent_not_found: OTHER,
  conversation_not_found: 'Claude has no record of this conversation here.',
  conversation_in_use: OTHER,
  external_id_taken: OTHER,
  idempotency_key_taken: OTHER,
  checkpoint_missing: OTHER,
  change_not_found: 'The session has no such change.',
  undo_conflict: OTHER,
  undo_failed: OTHER,
  workspace_busy: OTHER,
  repository_not_found: OTHER,
  worktree_unmerged: OTHER,
  worktree_failed: OTHER,
  message_not_found: 'The session has no such message.',
  message_already_delivered: OTHER,
  task_not_found: 'The session runs no such task.',
  message_invalid: OTHER,
  request_not_found: 'No request has this id. List pending requests with "signalbox inbox".',
  request_already_resolved: 'The request has been answered.',
  request_not_held: OTHER,
  answer_invalid: OTHER,
  grant_not_found: 'The session has no such grant.',
  prompt_not_found: 'No saved prompt has this name.',
  answer_token_invalid: OWN,
  user_not_found: OTHER,
  channel_not_found: OTHER,
  channel_name_taken: OTHER,
  channel_failed: OTHER,
  set_in_config: OTHER,
  option_refused: OTHER,
  script_invalid: OTHER,
  policy_invalid: 'The policy is invalid. Operators can see the reason.',
  config_invalid: OTHER,
  home_unusable: OTHER,
  storage_damaged: 'The database is damaged. Operators can see the reason.',
  storage_unavailable: OWN,
  mcp_config_invalid: OTHER,
  claude_failed: 'Claude Code failed. Operators can see the reason.',
  daemon_unreachable: OTHER,
  daemon_running: OTHER,
  port_in_use: OTHER,
  internal_error: OWN,
}
