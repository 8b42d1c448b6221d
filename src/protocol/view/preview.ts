/**
 * Truncates a text for lists, with an ellipsis, at a word boundary: redaction does not recognise a secret that is cut
 * in half. A single word longer than the limit is cut inside; redaction recognises the beginning of a known secret
 * before an ellipsis.
 */
export function previewOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  let end = maxCharacters - 1
  while (end > 0 && isInWord(text, end)) end -= 1
  if (end === 0) end = maxCharacters - 1
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end -= 1
  return `${text.slice(0, end).trimEnd()}…`
}

/** Text outside printable ASCII may be cut anywhere: secrets are ASCII. */
function isInWord(text: string, place: number): boolean {
  return isWordCharacter(text.charCodeAt(place - 1)) && isWordCharacter(text.charCodeAt(place))
}

function isWordCharacter(code: number): boolean {
  return code > 0x20 && code < 0x7f
}
