/** Every error that crosses a boundary. Each code has its cause and fix in docs/errors.md. Needs no schema, so that it is quick to load. */

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
  'message_already_delivered',
  'task_not_found',
  'message_invalid',
  'request_not_found',
  'request_already_resolved',
  'request_not_held',
  'answer_invalid',
  'grant_not_found',
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

/** The one shape of an error on the wire. */
export interface ErrorBody {
  error: {
    code: ErrorCode
    /** What happened and what to do next. */
    message: string
    details: Record<string, unknown>
  }
}

/** An expected failure with a code from the closed list. */
export class HubError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>
  /** The message without any word of the request, for readers who may only look; where that is more than its code tells. */
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
