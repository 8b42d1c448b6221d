/** Elicitation: an MCP server asks the user for something, in the middle of a tool call. */

import type { Inbox } from '../../inbox/inbox.js'
import type { ClaudeCallbacks } from '../claude/port.js'

/** Cancelled when no user answers in time: nothing is accepted on a user's behalf. */
export function createElicit(deps: { sessionId: string; inbox: Inbox }): ClaudeCallbacks['elicit'] {
  const { sessionId, inbox } = deps
  return async (form, signal) => {
    const asked = { sessionId, toolUseId: null, toolName: `mcp__${form.server}`, input: form, signal }
    const { form: reply } = await inbox.askForm(asked, form)
    return reply ?? { action: 'cancel' }
  }
}
