/** Text as one word of bash, whatever is in it. */

const PLAIN = /^[\w@%+=:,./-]+$/
/** Half a character: it would reach the shell as another text. */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Anything but plain text becomes `$'…'` with no quote inside: the CLI quotes the whole command once more, and every
 * quote would grow to five characters. Null for text that no shell can carry.
 */
export function shellWord(text: string): string | null {
  if (text.includes('\0') || LONE_SURROGATE.test(text)) return null
  if (PLAIN.test(text)) return text
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\x27`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
  return `$'${escaped}'`
}
