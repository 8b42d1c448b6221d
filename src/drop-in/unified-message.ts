/** Messages of a provider-neutral kind, as a builder is given them. */

import { ContentBlock } from '../protocol/value.js'

export interface UnifiedMessage {
  role: string
  content: string | readonly { type: string; [key: string]: unknown }[]
}

/** The content of the newest user message: text, and images and files where it has some. Empty where there is none. */
export function promptOf(messages: readonly UnifiedMessage[]): string | ContentBlock[] {
  const latest = messages.findLast(({ role }) => role === 'user')
  if (!latest) return ''
  if (typeof latest.content === 'string') return latest.content
  const blocks = latest.content.flatMap((part) => {
    const block = ContentBlock.safeParse(part)
    return block.success ? [block.data] : []
  })
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const attached = blocks.filter((block) => block.type !== 'text')
  // Text last: Claude Code reads commands and mentions of files in the last block only.
  return attached.length === 0
    ? text
    : [...attached, ...(text === '' ? [] : [{ type: 'text' as const, text }])]
}
