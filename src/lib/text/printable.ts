/** Text that can be shown without it taking over the place where it is shown. Browser-safe. */

// C0 and C1 controls but tab and line feed, and what turns the direction of text around.
// oxlint-disable-next-line no-control-regex -- they are what it looks for.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Control characters become pictures of themselves. */
export function printable(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })
}
