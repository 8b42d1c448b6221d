/** Shell patterns. A pattern is text in which everything that is not special is escaped. */

const MAX_LENGTH = 500

/** Whether a pattern fits a whole text, for one name of a path: `*` and `?` do not fit a leading dot unless `dots`. */
export function fits(pattern: string, text: string, { dots = true }: { dots?: boolean } = {}): boolean {
  if (!dots && text.startsWith('.') && !/^\\?\./.test(pattern)) return false
  const expression = compile(pattern)
  return expression === null || expression.test(text)
}

/** Null for a pattern that is too long or makes no sense: it may fit anything. */
export function compile(pattern: string): RegExp | null {
  if (pattern.length > MAX_LENGTH) return null
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  const expression = compileAnew(pattern)
  compiled.set(pattern, expression)
  return expression
}

/** One pattern is compared with many names. */
const compiled = new Map<string, RegExp | null>()
const MAX_COMPILED = 200

function compileAnew(pattern: string): RegExp | null {
  const source = translate(pattern)
  // Many stars in a row of text make matching slow.
  if (source === null || (source.match(/\.\*|\)[*+]/g)?.length ?? 0) > 8) return null
  try {
    return new RegExp(`^(?:${source})$`, 'su')
  } catch {
    return null
  }
}

function translate(pattern: string): string | null {
  let source = ''
  const closers: string[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? ''
    const next = pattern[at + 1]
    if (character === '\\') {
      source += escapeExpression(next ?? '\\')
      at++
    } else if ('?*+@!'.includes(character) && next === '(') {
      source += character === '!' ? '(?:(?!' : '(?:'
      closers.push(character === '!' ? ').)*' : character === '@' ? ')' : `)${character}`)
      at++
    } else if (character === ')' && closers.length > 0) {
      source += closers.pop()
    } else if (character === '|' && closers.length > 0) {
      source += '|'
    } else if (character === '*') {
      if (!source.endsWith('.*')) source += '.*'
    } else if (character === '?') {
      source += '.'
    } else if (character === '[') {
      const bracket = readBracket(pattern, at)
      source += bracket?.source ?? '\\['
      at = bracket?.last ?? at
    } else {
      source += escapeExpression(character)
    }
  }
  return closers.length > 0 ? null : source
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
}

function readBracket(pattern: string, start: number): { source: string; last: number } | null {
  if (!pattern.includes(']', start + 1)) return null
  let at = start + 1
  const isNegated = pattern[at] === '!' || pattern[at] === '^'
  if (isNegated) at++
  let source = ''
  for (let first = true; at < pattern.length; first = false, at++) {
    const character = pattern[at] ?? ''
    if (character === ']' && !first) return { source: `[${isNegated ? '^' : ''}${source}]`, last: at }
    const named = /^\[:(\w+):\]/.exec(pattern.slice(at, at + 12))
    if (named) {
      source += CLASSES[named[1] ?? ''] ?? ''
      at += named[0].length - 1
    } else if (character === '\\') {
      at++
      source += escapeClass(pattern[at] ?? '\\')
    } else {
      source += character === '-' ? '-' : escapeClass(character)
    }
  }
  return null
}

function escapeExpression(text: string): string {
  if (/^\w$/.test(text)) return text
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (character) => (character === '-' ? '-' : `\\${character}`))
}

function escapeClass(text: string): string {
  if (/^\w$/.test(text)) return text
  return text.replaceAll(/[\\\]^[-]/g, '\\$&')
}

/** One text that the pattern would fit, made of its own letters. */
export function sampleOf(pattern: string): string {
  return pattern
    .replaceAll(/\\(.)/gs, '\ue000$1')
    .replaceAll(/(?<!\ue000)\[[!^][^\]]*\]/g, 'a')
    .replaceAll(/(?<!\ue000)\[(?:\ue000?(.))[^\]]*\]/g, '$1')
    .replaceAll(/(?<!\ue000)[?*+@!]\((?:\ue000)?([^|)]*)[^)]*\)/g, '$1')
    .replaceAll(/(?<!\ue000)[*?]/g, 'a')
    .replaceAll('\ue000', '')
}
