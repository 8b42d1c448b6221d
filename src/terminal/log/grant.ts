/**
 * The scope of "Allow for this session" in a terminal. There Claude Code decides, by its own rules. The rules that it
 * suggests are prefixes (`make *`) that cover more than the user saw, so only narrow ones are passed on.
 */

import { asRecord, asText } from '../../lib/read-json.js'
import type { Grant } from '../../protocol/event/request-event.js'

export function terminalGrant(tool: string, input: unknown, inputDigest: string): Grant {
  const { command, url } = asRecord(input)
  const text = asText(command)
  if (tool === 'Bash' && text !== null && isLiteral(text)) return { tool, command: text }
  const host = tool === 'WebFetch' ? hostOf(asText(url)) : null
  if (host !== null) return { tool, origin: host }
  return tool.startsWith('mcp__') ? { tool } : { tool, inputDigest }
}

/** The grant as a rule of Claude Code; null if it has none that is as narrow. */
export function terminalRule({ tool, command, origin, inputDigest }: Grant) {
  if (inputDigest !== undefined) return null
  const ruleContent = command ?? (origin === undefined ? undefined : `domain:${origin}`)
  const rule = { toolName: tool, ...(ruleContent !== undefined && { ruleContent }) }
  return { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' }
}

/** In a rule of Claude Code, `*` matches any text, and the content is a single line. */
function isLiteral(command: string): boolean {
  return command.trim() !== '' && !/[*\\\p{Cc}]/u.test(command)
}

function hostOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  return /^https?:$/.test(protocol) && /^[a-z0-9.-]+$/.test(hostname) ? hostname : null
}
