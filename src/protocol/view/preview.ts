/**
 * The beginning of a text, for lists. It ends between two words and with a sign: half a word can be half a secret, and nothing
 * recognises that. One word that is longer than all there is room for is cut: before the sign, the beginning of a known secret is recognised.
 */
export function previewOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  let end = maxCharacters - 1
  while (end > 0 && isInWord(text, end)) end -= 1
  if (end === 0) end = maxCharacters - 1
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end -= 1
  return `${text.slice(0, end).trimEnd()}…`
}

/** Scripts without spaces can be cut anywhere: secrets are not written in them. */
function isInWord(text: string, place: number): boolean {
  return isWordCharacter(text.charCodeAt(place - 1)) && isWordCharacter(text.charCodeAt(place))
}

function isWordCharacter(code: number): boolean {
  return code > 0x20 && code < 0x7f
}
