/**
 * File mentions: Claude Code replaces `@path` in a message, and in the arguments of a skill, with the content of the
 * file, and reads it without a tool call. Over-approximates: a text that is no mention costs nothing.
 */

const MENTION = /@(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"']+))/g
const WORD = /"([^"\n]*)"|'([^'\n]*)'|([^\s"']+)/g

/** The paths that a text mentions, each in every way that it may be read. */
export function mentionsIn(text: string): string[] {
  return unique([...text.matchAll(MENTION)].flatMap(readings))
}

/** Every word of a text as a path: a skill may have `@$1` in it. */
export function wordsAsPaths(text: string): string[] {
  return unique([...mentionsIn(text), ...[...text.matchAll(WORD)].flatMap(readings)])
}

function readings([, double, single, bare]: RegExpMatchArray): string[] {
  const whole = (double ?? single ?? bare ?? '').replace(/^@+/, '')
  const withoutPlace = whole.replace(/[#:].*/s, '')
  return [whole, withoutPlace].flatMap((path) => [path, withoutTail(path)]).filter((path) => path !== '')
}

/** Punctuation behind a path belongs to the sentence. */
function withoutTail(path: string): string {
  let end = path.length
  while (end > 0 && '.,;:!?)]}>'.includes(path[end - 1] ?? '')) end--
  return path.slice(0, end)
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)]
}
