/** The exit codes of the command line: part of its promise. */

import { HubError } from '../protocol/error.js'

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  unreachable: 5,
  storage: 6,
  interrupted: 130,
} as const

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof HubError)) return EXIT.failed
  switch (error.code) {
    case 'session_not_found':
    case 'request_not_found':
    case 'grant_not_found':
    case 'prompt_not_found':
    case 'token_not_found':
    case 'message_not_found':
    case 'task_not_found':
    case 'change_not_found':
    case 'conversation_not_found':
    case 'route_not_found':
    case 'workspace_not_found':
      return EXIT.notFound
    case 'credential_missing':
    case 'credential_invalid':
    case 'role_insufficient':
    case 'workspace_not_allowed':
    case 'login_code_invalid':
    case 'login_limited':
    case 'option_refused':
      return EXIT.denied
    case 'daemon_unreachable':
      return EXIT.unreachable
    case 'home_unusable':
    case 'storage_damaged':
    case 'storage_unavailable':
      return EXIT.storage
    case 'request_invalid':
    case 'message_invalid':
    case 'answer_invalid':
    case 'config_invalid':
    case 'script_invalid':
    case 'policy_invalid':
      return EXIT.usage
    default:
      return EXIT.failed
  }
}
