/**
 * The comments and strings of a TypeScript or JavaScript source, without a parser: for comments, strings, templates and regular expressions are
 * skipped, so that `'src/**'` and `https://…` are no comments. Lines of `//` that follow each other are one comment.
 */

export interface SourceComment {
  /** Of its first line, from 1. */
  line: number
  /** On one line, without the markers. */
  text: string
}

/** A comment, a string, a regular expression, or one token. The order decides: the first that matches is taken. */
const TOKEN =
  /(?<comment>\/\*[^]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)|'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"|(?<expression>\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*)|[\w$]+|\s+|[^]/y

/** Behind these a slash begins a regular expression; behind everything else it divides, or closes a tag. */
const BEFORE_EXPRESSION = /(?:^|[=(,:;![&|?{+*~%^-]|=>|\b(?:return|typeof|case|in|of|await|yield|void))$/

export function commentsIn(source: string): SourceComment[] {
  return partsOf(source).comments
}

/** The contents of strings, and of templates without their `${…}`, that consist of several words. */
export function stringsIn(source: string): string[] {
  return partsOf(source).strings.filter((text) => /\w \w/.test(text))
}

function partsOf(source: string): { comments: SourceComment[]; strings: string[] } {
  const found: SourceComment[] = []
  const strings: string[] = []
  /** For each open template, how many braces are open in its current `${…}`. */
  const templates: number[] = []
  let before = ''
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(source)
    const { comment, expression } = match?.groups ?? {}
    let token = match?.[0] ?? ''
    if (comment !== undefined) {
      found.push({ line: source.slice(0, at).split('\n').length, text: textOf(comment) })
    } else {
      if (expression !== undefined && !BEFORE_EXPRESSION.test(before)) token = '/'
      const depth = templates.at(-1)
      if (token === '`' || (token === '}' && depth === 0)) {
        if (token === '}') templates.pop()
        const end = endOfTemplateText(source, at + 1)
        token = source.slice(at, end)
        strings.push(token)
        if (token.endsWith('${')) templates.push(0)
      } else if (depth !== undefined && (token === '{' || token === '}')) {
        templates[templates.length - 1] = depth + (token === '{' ? 1 : -1)
      }
      if (/^['"]./.test(token)) strings.push(token)
      if (token.trim() !== '') before = token.slice(-12)
    }
    at += token.length
  }
  return { comments: found, strings }
}

/** Behind the closing backtick, or behind the next `${`. */
function endOfTemplateText(source: string, from: number): number {
  const text = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)?/y
  text.lastIndex = from
  return from + (text.exec(source)?.[0].length ?? 0)
}

function textOf(comment: string): string {
  const inner = comment.startsWith('/*')
    ? comment.replaceAll(/^\/\*+|\*\/$|^[ \t]*\*(?!\/)/gm, ' ')
    : comment.replaceAll(/^[ \t]*\/\//gm, ' ')
  return inner.replaceAll(/\s+/g, ' ').trim()
}
