/** The structure of a regular expression, as far as its speed depends on it. */

export type Node =
  | { readonly kind: 'class'; readonly text: string }
  | { readonly kind: 'assertion'; readonly text: string }
  | { readonly kind: 'reference' }
  | { readonly kind: 'look' | 'group'; readonly body: Node }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly Node[] }
  | { readonly kind: 'repeat'; readonly body: Node; readonly min: number; readonly max: number }

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[a-zA-Z]|k<[^>]*>|[^])/y
const OPEN = /\((?:\?(?:<?[=!]|:|<[^>]*>))?/y

/** A text says what cannot be read. */
export function parsePattern(source: string): Node | string {
  let at = 0
  let problem: string | null = null

  function take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = at
    const match = expression.exec(source)
    if (match) at += match[0].length
    return match
  }

  function choice(): Node {
    const items = [sequence()]
    while (source[at] === '|') {
      at += 1
      items.push(sequence())
    }
    return items.length === 1 ? (items[0] as Node) : { kind: 'choice', items }
  }

  function sequence(): Node {
    const items: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') items.push(repeated())
    return { kind: 'sequence', items }
  }

  function repeated(): Node {
    const body = atom()
    const match = take(QUANTIFIER)
    if (!match) return body
    const [, sign, least, comma, most] = match
    if (sign)
      return {
        kind: 'repeat',
        body,
        min: sign === '+' ? 1 : 0,
        max: sign === '?' ? 1 : Number.POSITIVE_INFINITY,
      }
    const min = Number(least)
    return {
      kind: 'repeat',
      body,
      min,
      max: comma === '' ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most),
    }
  }

  function atom(): Node {
    const open = take(OPEN)
    if (open) {
      const body = choice()
      if (source[at] !== ')') problem = 'has a group without an end'
      at += 1
      return { kind: /[=!]$/.test(open[0]) && open[0] !== '(' ? 'look' : 'group', body }
    }
    const escape = take(ESCAPE)?.[0]
    if (escape !== undefined) {
      if (/^\\[bB]$/.test(escape)) return { kind: 'assertion', text: escape }
      return /^\\(?:[1-9]|k<)/.test(escape) ? { kind: 'reference' } : { kind: 'class', text: escape }
    }
    const character = source[at] ?? ''
    if (character === '[') return { kind: 'class', text: bracket() }
    at += 1
    if (character === '^' || character === '$') return { kind: 'assertion', text: character }
    return { kind: 'class', text: character }
  }

  function bracket(): string {
    const start = at
    at += 1
    while (at < source.length && source[at] !== ']') if (!take(ESCAPE)) at += 1
    at += 1
    return source.slice(start, at)
  }

  const tree = choice()
  if (at < source.length) problem ??= 'cannot be read to its end'
  return problem ?? tree
}
