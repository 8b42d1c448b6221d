/** The line that the user types while output goes on above it. Editing is a plain function of the text and the input. */

export type Edit =
  | { kind: 'text'; text: string }
  | { kind: 'send'; text: string }
  | { kind: 'interrupt' }
  | { kind: 'leave' }

const ENTER = /[\r\n]/

/** The line after some input: keys, or a pasted text, whose line breaks do not send it piece by piece. */
export function edit(text: string, input: string): Edit {
  if (input === '\r' || input === '\n')
    return text.trim() === '' ? { kind: 'text', text: '' } : { kind: 'send', text }
  if (input === '\u0003') return text === '' ? { kind: 'interrupt' } : { kind: 'text', text: '' }
  if (input === '\u0004') return text === '' ? { kind: 'leave' } : { kind: 'text', text }
  if (input === '\u007f' || input === '\b') return { kind: 'text', text: text.slice(0, lastStart(text)) }
  if (input === '\u0015') return { kind: 'text', text: '' }
  if (input === '\u0017') return { kind: 'text', text: text.slice(0, text.trimEnd().lastIndexOf(' ') + 1) }
  // Arrows and other keys that send a sequence have no meaning here.
  if (input.startsWith('\u001b')) return { kind: 'text', text }
  // Text and Enter may come in one read, from a fast hand or over a slow line.
  const [first = '', rest] = input.split(ENTER, 2)
  if (rest === '' && isTyped(first)) return edit(text + first, '\r')
  return { kind: 'text', text: text + clean(input) }
}

/** Where the last character begins, whatever it is made of. */
function lastStart(text: string): number {
  return [...new Intl.Segmenter().segment(text)].at(-1)?.index ?? 0
}

function isTyped(input: string): boolean {
  return input !== '' && clean(input) === input
}

/** Line breaks of a pasted text become spaces; other control characters are dropped. */
function clean(input: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what it drops.
  return input.replaceAll(/[\r\n\t]+/g, ' ').replaceAll(/[\u0000-\u001f\u007f]/g, '')
}
