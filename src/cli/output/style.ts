/**
 * Styles of our own text. A style is a mark that only this process knows, not an escape code: the stream that writes it
 * turns it into a colour or drops it, and the control characters of agents beside it can still be made visible.
 */

/** Noncharacters of Unicode frame a mark; the number is random, so that no text of an agent can contain one. */
const OPEN = `\ufdd0${Math.random().toString(36).slice(2)}`
const CLOSE = '\ufdd1'

export type Style = (text: string) => string

const style =
  (start: number, end: number): Style =>
  (text) =>
    `${OPEN}${start}${CLOSE}${text}${OPEN}${end}${CLOSE}`

export const color = {
  bold: style(1, 22),
  dim: style(2, 22),
  underline: style(4, 24),
  black: style(30, 39),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  cyan: style(36, 39),
  onWhite: style(47, 49),
} as const

export type Colors = typeof color

/** The text with its marks as escape codes, or without them. `clean` is applied to everything between them. */
export function renderStyles(
  text: string,
  isColored: boolean,
  clean: (part: string) => string = (part) => part,
): string {
  const [first = '', ...rest] = text.split(OPEN)
  const parts = rest.map((part) => {
    const end = part.indexOf(CLOSE)
    const code = isColored ? `\u001b[${part.slice(0, end)}m` : ''
    return code + clean(part.slice(end + 1))
  })
  return clean(first) + parts.join('')
}

export function withoutStyles(text: string): string {
  return text.includes(OPEN) ? renderStyles(text, false) : text
}

/** Whether a stream shows colours: `NO_COLOR` turns them off, `FORCE_COLOR` on, otherwise only terminals have them. */
export function hasColor(
  stream: { isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return !['0', 'false'].includes(forced)
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}
