/** The name of a session in lists: its title, or its first prompt in short. One function for all surfaces. */

import type { Session } from '../session.js'
import { previewOf } from './preview.js'

const NAME_CHARACTERS = 60
/** More than a name can need: the rest of a long prompt is not read. */
const READ_CHARACTERS = 2_000

/** The name that a prompt gives a session: one line without Markdown. Null for a /command without further text. */
export function nameFromPrompt(prompt: string): string | null {
  const text = plainText(
    prompt
      .slice(0, READ_CHARACTERS)
      .trimStart()
      .replace(/^\/[\w:.-]+(?=\s|$)/, ''),
  )
  return text === '' ? null : previewOf(text, NAME_CHARACTERS)
}

/** One line without the marks of Markdown. */
export function plainText(text: string): string {
  return text
    .split('\n')
    .map(plainLine)
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
}

/**
 * Marks inside a word stay: they may be part of an identifier, or of a secret, which redaction finds only if it is
 * whole.
 */
function plainLine(line: string): string {
  const text = line.trim()
  if (/^(?:```|~~~|[-*_]{3,}$)/.test(text)) return ''
  return text
    .replace(/^(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/, '')
    .replaceAll(/!?\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replaceAll(/(?<!\S)(?:\*\*|__|`)(?=\w)/g, '')
    .replaceAll(/(?<=\w)(?:\*\*|__|`)(?=[\s.,:;!?]|$)/g, '')
    .trim()
}

/** Before its first prompt, a session is called after its folder. */
export function sessionName({
  title,
  name,
  cwd,
  id,
}: Pick<Session, 'title' | 'name' | 'cwd' | 'id'>): string {
  const known = (title ?? name ?? '').trim().replaceAll(/\s+/g, ' ')
  if (known !== '') return known
  return cwd.split('/').findLast((part) => part !== '') ?? id
}
