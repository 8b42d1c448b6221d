/** Elicitation: an MCP server asks the user for something, in the middle of a tool call. */

import type { Asker } from '../../inbox/asker.js'
import type { ClaudeCallbacks } from '../claude/port.js'

/** Cancelled when no user answers in time: nothing is accepted on a user's behalf. */
export function createElicit(deps: { sessionId: string; asker: Asker }): ClaudeCallbacks['elicit'] {
  const { sessionId, asker } = deps
  return async (form, signal) => {
    const asked = { sessionId, toolUseId: null, toolName: `mcp__${form.server}`, input: form, signal }
    const { form: reply } = await asker.askForm(asked, form)
    return reply ?? { action: 'cancel' }
  }
}
