/** Formats the output of a waiting hook, by which Claude Code accepts a remote answer. Pure. */

import { asRecord, asText } from '../../lib/read-json.js'
import type { InboxRequest, Resolution } from '../../protocol/request.js'
import { isAnswered } from '../../protocol/value.js'
import { terminalGrant, terminalRule } from '../log/grant.js'

/** Null if the terminal's dialog must stay open: only a user's answer is passed on. */
export function hookAnswer(request: InboxRequest): string | null {
  const { resolution } = request
  if (!resolution || !isAnswered(resolution.by)) return null
  const decision =
    request.kind === 'question' ? ofQuestion(request, resolution) : ofPermission(request, resolution)
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
}

const PLAN = 'ExitPlanMode'

function ofQuestion({ input }: InboxRequest, resolution: Resolution) {
  const { answers } = resolution
  if (!answers) return deny(resolution)
  // The tool expects one string per question, together with its whole input.
  const texts = Object.fromEntries(
    Object.entries(answers).map(([question, value]) => [
      question,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
  return { behavior: 'allow', updatedInput: { ...asRecord(input), answers: texts } }
}

function ofPermission(request: InboxRequest, resolution: Resolution) {
  if (resolution.decision === 'deny' || resolution.decision === undefined) return deny(resolution)
  // Claude Code (2.1.325) keeps a plan open after a bare allow: as for a question, the input must be returned.
  const updatedInput = resolution.updatedInput ?? (request.toolName === PLAN ? asRecord(request.input) : null)
  const updatedPermissions = permissionsOf(request, resolution)
  return {
    behavior: 'allow',
    ...(updatedInput && { updatedInput }),
    ...(updatedPermissions.length > 0 && { updatedPermissions }),
  }
}

function deny(resolution: Resolution) {
  const message = asText(asRecord(resolution)['message']) ?? `${resolution.who ?? 'Somebody'} said no.`
  return { behavior: 'deny', message }
}

/** An answer for the session becomes a permission rule of Claude Code. The answer to a plan may set a mode. */
function permissionsOf({ toolName, input, inputDigest }: InboxRequest, resolution: Resolution): unknown[] {
  const mode = asText(asRecord(resolution)['mode'])
  const modes = mode === null ? [] : [{ type: 'setMode', mode, destination: 'session' }]
  if (resolution.decision !== 'allowAll') return modes
  const rule = terminalRule(terminalGrant(toolName, resolution.updatedInput ?? input, inputDigest))
  return rule === null ? modes : [...modes, rule]
}
