/** Text as one word of bash, whatever is in it. */

const PLAIN = /^[\w@%+=:,./-]+$/
/** Half a character: it would reach the shell as another text. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Null for text that no shell can carry. */
export function shellWord(text: string): string | null {
  if (text.includes('\0') || LONE_SURROGATE.test(text)) return null
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`
}
