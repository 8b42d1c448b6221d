/** Parses terminal output: SGR codes become class names, all other escape sequences are dropped. */

export interface AnsiPart {
  text: string
  /** Class names: `fg-1`, `bg-4`, `bold`, `dim`, `italic`, `underline`. */
  style: string
}

// CSI sequence, OSC sequence, DCS/SOS/PM/APC string, or two-character escape.
const SEQUENCE = new RegExp(
  [
    '\\[([0-9;:?<=>]*)[ -/]*([@-~])',
    '\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?',
    '[PX^_][^\\u001b]*(?:\\u001b\\\\)?',
    '[ -/]*[0-~]',
  ]
    .map((kind) => `\\u001b(?:${kind})`)
    .join('|'),
  'g',
)

interface Style {
  fg: number | null
  bg: number | null
  marks: ReadonlySet<string>
}

const PLAIN: Style = { fg: null, bg: null, marks: new Set() }
const MARKS: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  9: 'struck',
}
const CLEARED_MARKS: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  29: ['struck'],
}

export function parseAnsi(text: string): AnsiPart[] {
  const parts: AnsiPart[] = []
  let style = PLAIN
  let start = 0
  const add = (piece: string) => {
    const shown = applyCarriageReturns(piece)
    if (shown !== '') parts.push({ text: shown, style: classNames(style) })
  }
  for (const match of text.matchAll(SEQUENCE)) {
    add(text.slice(start, match.index))
    start = match.index + match[0].length
    if (match[2] === 'm') style = applyCodes(style, match[1] ?? '')
  }
  add(text.slice(start))
  return parts
}

/** Shows the last state of a line that was overwritten with carriage returns, as progress bars do. */
function applyCarriageReturns(text: string): string {
  if (!text.includes('\r')) return text
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '')
    .join('\n')
}

function applyCodes(before: Style, codes: string): Style {
  let { fg, bg } = before
  const marks = new Set(before.marks)
  const list = codes.split(/[;:]/).map((code) => Number(code || '0'))
  for (let index = 0; index < list.length; index += 1) {
    const code = list[index] ?? 0
    const mark = MARKS[code]
    if (code === 0) {
      fg = null
      bg = null
      marks.clear()
    } else if (mark !== undefined) marks.add(mark)
    else if (CLEARED_MARKS[code]) for (const name of CLEARED_MARKS[code]) marks.delete(name)
    else if (code === 38 || code === 48) {
      const color = list[index + 1] === 5 ? nearestColor(list[index + 2] ?? 0) : null
      index += list[index + 1] === 5 ? 2 : 4
      if (code === 38) fg = color
      else bg = color
    } else if (code === 39) fg = null
    else if (code === 49) bg = null
    else if (code >= 30 && code <= 37) fg = code - 30
    else if (code >= 90 && code <= 97) fg = code - 82
    else if (code >= 40 && code <= 47) bg = code - 40
    else if (code >= 100 && code <= 107) bg = code - 92
  }
  return { fg, bg, marks }
}

/** Maps a colour of the 256-colour palette to one of the 16 base colours. */
function nearestColor(color: number): number | null {
  if (color < 16) return color
  if (color >= 232) return color < 244 ? 8 : 7
  const at = color - 16
  const [red, green, blue] = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6]
  return (red > 2 ? 1 : 0) + (green > 2 ? 2 : 0) + (blue > 2 ? 4 : 0)
}

function classNames({ fg, bg, marks }: Style): string {
  return [fg === null ? '' : `fg-${fg}`, bg === null ? '' : `bg-${bg}`, ...marks].filter(Boolean).join(' ')
}
