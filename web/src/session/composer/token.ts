/** The word at the cursor that can be completed: a /command at the start of a message, or an @file anywhere. */

export interface CompletionToken {
  kind: 'command' | 'file'
  /** The text behind the sign. */
  query: string
  /** Where the sign is. */
  start: number
  /** The cursor. */
  end: number
}

/** As long as the API takes. */
const MAX_QUERY = 200
/** Claude Code reads a mention at the start of a word, and behind these. */
const FILE = /(?:^|[\s。、？！([{<'`])@(?:"([^"\n]*)|([^\s"@]*))$/u
const COMMAND = /^\/([^\s/]*)$/

export function tokenAt(text: string, cursor: number): CompletionToken | null {
  const before = text.slice(Math.max(0, cursor - MAX_QUERY - 2), cursor)
  const command = cursor <= MAX_QUERY ? COMMAND.exec(text.slice(0, cursor)) : null
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0, end: cursor }
  const file = FILE.exec(before)
  if (!file) return null
  const [, quoted, plain = ''] = file
  const query = quoted ?? plain
  const sign = quoted === undefined ? '@' : '@"'
  return { kind: 'file', query, start: cursor - query.length - sign.length, end: cursor }
}

export interface Edit {
  text: string
  cursor: number
}

/** Replaces the token. With `hasSpace` a space follows, unless there is one. */
export function replaceToken(
  text: string,
  { start, end }: CompletionToken,
  by: string,
  hasSpace: boolean,
): Edit {
  const after = text.slice(end)
  const space = hasSpace && !/^\s/.test(after) ? ' ' : ''
  return {
    text: `${text.slice(0, start)}${by}${space}${after}`,
    cursor: start + by.length + (hasSpace ? 1 : 0),
  }
}

/** As Claude Code reads it: in quotes if a word of another kind would end too early. */
export function mentionOf(path: string): string {
  const isFolder = path.endsWith('/')
  if (/^[\w./-]*\w\/?$/.test(path)) return `@${path}`
  // The quotes of a folder stay open, so that it can be completed further.
  return isFolder ? `@"${path}` : `@"${path}"`
}
