/** The HTTP status of each error code. */

import type { ErrorCode } from '../protocol/error.js'

export function statusOf(code: ErrorCode): number {
  return STATUS[code]
}

const STATUS: Readonly<Record<ErrorCode, number>> = {
  request_invalid: 400,
  message_invalid: 400,
  answer_invalid: 400,
  workspace_not_found: 400,
  agent_not_found: 400,
  script_invalid: 400,
  policy_invalid: 400,
  config_invalid: 400,
  home_unusable: 500,
  storage_damaged: 500,
  mcp_config_invalid: 400,
  credential_missing: 401,
  credential_invalid: 401,
  login_code_invalid: 401,
  role_insufficient: 403,
  workspace_not_allowed: 403,
  origin_not_allowed: 403,
  route_not_found: 404,
  session_not_found: 404,
  conversation_not_found: 404,
  message_not_found: 404,
  task_not_found: 404,
  grant_not_found: 404,
  option_refused: 403,
  request_not_found: 404,
  token_not_found: 404,
  method_not_allowed: 405,
  session_ended: 409,
  token_name_taken: 409,
  session_observed: 409,
  conversation_in_use: 409,
  message_already_delivered: 409,
  request_already_resolved: 409,
  request_not_held: 409,
  daemon_running: 409,
  port_in_use: 409,
  body_too_large: 413,
  host_not_allowed: 421,
  login_limited: 429,
  internal_error: 500,
  claude_failed: 502,
  session_not_driven: 503,
  storage_unavailable: 503,
  daemon_unreachable: 503,
}
