/** Shortens text without ever breaking a character apart. */

/** At most this many UTF-16 units from the start. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const isPairCut = /[\ud800-\udbff]/.test(text[maxLength - 1] ?? '')
  return text.slice(0, isPairCut ? maxLength - 1 : maxLength)
}

/** At most this many bytes of UTF-8 from the start. */
export function cutUtf8(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text : bytes.toString('utf8', 0, characterEnd(bytes, maxBytes))
}

/** The last place at or before `end` where a character of UTF-8 ends. */
export function characterEnd(bytes: Uint8Array, end: number): number {
  let place = Math.min(end, bytes.length)
  while (place > 0 && ((bytes[place] ?? 0) & 0xc0) === 0x80) place -= 1
  return place
}

/** Halves of surrogate pairs, which have no UTF-8, become the replacement character. */
export function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd')
}
