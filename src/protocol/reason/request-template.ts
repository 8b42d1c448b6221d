/**
 * Reasons of requests that do not come from the policy. Separate from the others, because the dashboard builds some of
 * them.
 */

export const requestTemplates = {
  'request.question': 'The agent asks a question.',
  'request.form': 'The MCP server {server} asks.',
  'request.timeout': 'Permission request timeout ({seconds}s)',
  'request.question-timeout': 'Question timeout ({seconds}s)',
  'request.interrupted': 'The turn was interrupted before an answer.',
  'request.agent-ended': 'The agent ended before an answer and cannot be resumed.',
  'request.session-ended': 'The session ended before an answer.',
  'request.record-lost': 'Claude has lost its record of the conversation.',
  'request.not-repeated': 'The agent has not asked for it again.',
  'request.other-message': 'The session continued with another message.',
  'terminal.asks': 'Claude Code asks in the terminal.',
  'terminal.answered': 'Answered in the terminal.',
} as const
