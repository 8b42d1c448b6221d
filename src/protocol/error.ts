/**
 * All errors that cross a boundary. docs/errors.md has the cause and fix of each code. Has no schema, so that it loads
 * quickly.
 */

export const errorCodes = [
  'request_invalid',
  'body_too_large',
  'route_not_found',
  'method_not_allowed',
  'host_not_allowed',
  'origin_not_allowed',
  'credential_missing',
  'credential_invalid',
  'role_insufficient',
  'login_code_invalid',
  'login_limited',
  'requests_limited',
  'token_not_found',
  'token_name_taken',
  'session_not_found',
  'session_ended',
  'session_not_driven',
  'session_observed',
  'workspace_not_found',
  'workspace_not_allowed',
  'parent_not_trusted',
  'agent_not_found',
  'conversation_not_found',
  'conversation_in_use',
  'external_id_taken',
  'idempotency_key_taken',
  'message_not_found',
  'checkpoint_missing',
  'change_not_found',
  'undo_conflict',
  'undo_failed',
  'workspace_busy',
  'repository_not_found',
  'worktree_unmerged',
  'worktree_failed',
  'message_already_delivered',
  'task_not_found',
  'message_invalid',
  'request_not_found',
  'request_already_resolved',
  'request_not_held',
  'answer_invalid',
  'grant_not_found',
  'prompt_not_found',
  'answer_token_invalid',
  'user_not_found',
  'channel_not_found',
  'channel_name_taken',
  'channel_failed',
  'set_in_config',
  'option_refused',
  'script_invalid',
  'policy_invalid',
  'config_invalid',
  'home_unusable',
  'storage_damaged',
  'storage_unavailable',
  'mcp_config_invalid',
  'claude_failed',
  'daemon_unreachable',
  'daemon_running',
  'port_in_use',
  'internal_error',
] as const
export type ErrorCode = (typeof errorCodes)[number]

/** The only shape of an error on the wire. */
export interface ErrorBody {
  error: {
    code: ErrorCode
    /** The problem, and the fix. */
    message: string
    details: Record<string, unknown>
  }
}

/** An expected failure, with a code of the closed list. */
export class HubError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>
  /** The message without content of the request, for viewers. Absent: the text of the code is used. */
  readonly plainText: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options: { cause?: unknown; plainText?: string } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.plainText = options.plainText
    this.name = 'HubError'
    this.code = code
    this.details = details
  }

  toBody(): ErrorBody {
    return { error: { code: this.code, message: this.message, details: { ...this.details } } }
  }
}
