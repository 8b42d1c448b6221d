/** Text that can be shown without it taking over the place where it is shown. Browser-safe. */

// C0 and C1 controls but tab and line feed, other line breaks, what turns the direction of text around, and tags, with which
// text can be hidden.
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- they are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** Control characters become pictures of themselves. */
export function printable(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })
}
