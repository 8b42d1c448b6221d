/**
 * Whether a message must reach Claude Code as written. The CLI reads files that a message mentions (`@path`) without a
 * tool call. A file that the agent could read without asking may be read like that; for every other the agent has to
 * call Read, which passes the gate.
 */

import { setImmediate as turn } from 'node:timers/promises'
import { mentionsIn } from '../../lib/text/mention.js'
import type { OutgoingMessage } from '../outbox.js'

const MAX_MENTIONS = 200

export async function isVerbatim(
  { text, content, from }: OutgoingMessage,
  mayRead: (path: string) => Promise<boolean>,
): Promise<boolean> {
  const blocks = (content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const whole = [text, ...blocks].join('\n')
  // Another agent has written it: it neither names files nor calls commands for a user.
  if (from.via === 'agent') return whole.includes('@') || whole.trimStart().startsWith('/')
  const { paths, isUnclear } = mentionsIn(whole)
  if (isUnclear || paths.length > MAX_MENTIONS) return true
  for (const path of paths) {
    // A verdict may take 20 ms: others have their turn in between.
    await turn()
    if (!(await mayRead(path))) return true
  }
  return false
}
