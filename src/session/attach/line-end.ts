/**
 * Marks messages with where their line ends in the output file, so that the events made of them can be stored together with how
 * far the file has been read. The SDK passes unknown fields on.
 */

const FIELD = 'signalbox_line_end'
const CLOSE = '}'.charCodeAt(0)

/** `line`: a JSON object, without its line break. */
export function withLineEnd(line: Buffer, end: number): string {
  const text = line.toString('utf8')
  const last = line.length - 1
  return line[last] === CLOSE && line.length > 2 ? `${text.slice(0, -1)},"${FIELD}":${end}}` : text
}

/** The message as the CLI has sent it, and the end of its line; null if it did not come from a file. */
export function splitLineEnd(message: unknown): { message: unknown; end: number | null } {
  if (typeof message !== 'object' || message === null || !(FIELD in message)) return { message, end: null }
  const { [FIELD]: end, ...rest } = message
  return { message: rest, end: Number(end) }
}
