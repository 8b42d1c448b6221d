/**
 * Patterns for names and paths, matched in time that grows with the length of the name, whatever the pattern: patterns
 * come from agents and from files of repositories, and a pattern turned into a regular expression can take for ever.
 */

type Token = { kind: 'literal'; text: string } | { kind: 'one' } | { kind: 'many' } | CharacterClass
interface CharacterClass {
  kind: 'class'
  isNegated: boolean
  includes(codePoint: number): boolean
}

/** Tests one name, without any "/". */
export type NameTest = (name: string) => boolean

/**
 * `*` is any text, `?` one character, `[a-z]` and `[!a]` one of a set, `\` takes the next character literally. Null for a
 * pattern that is broken, which matches nothing.
 */
export function compileName(pattern: string): NameTest | null {
  const tokens = tokenize(pattern)
  if (tokens === null) return null
  const [first, second, third, fourth] = tokens
  // Most patterns are of these kinds, and a listing tests every name with every pattern.
  if (first === undefined) return (name) => name === ''
  if (first.kind === 'literal' && second === undefined) return (name) => name === first.text
  if (first.kind === 'many' && second === undefined) return () => true
  if (third === undefined && first.kind === 'many' && second?.kind === 'literal') {
    return (name) => name.endsWith(second.text)
  }
  if (third === undefined && first.kind === 'literal' && second?.kind === 'many') {
    return (name) => name.startsWith(first.text)
  }
  if (!fourth && first.kind === 'many' && second?.kind === 'literal' && third?.kind === 'many') {
    return (name) => name.includes(second.text)
  }
  const steps = tokens.flatMap(stepsOf)
  return (name) =>
    matchSteps(
      steps,
      Array.from(name, (letter) => letter.codePointAt(0) ?? 0),
    )
}

/** Tests a path by its names. `**` as a name of its own stands for any number of folders. */
export type PathTest = (names: readonly string[]) => boolean

export function compilePath(pattern: string): PathTest | null {
  const parts: (NameTest | '**')[] = []
  // An escaped "/" is a "/".
  const names = pattern.replaceAll(/(\\[^/]|[^\\])|\\\//g, (_, other?: string) => other ?? '/').split('/')
  for (const [index, name] of names.entries()) {
    if (name === '**') {
      if (parts.at(-1) !== '**') parts.push('**')
      // At the end it means what is inside, not the folder itself.
      if (index === names.length - 1) parts.push(() => true)
      continue
    }
    const test = compileName(name)
    if (test === null) return null
    parts.push(test)
  }
  return (path) => matchParts(parts, path)
}

/** The classic walk with one place to come back to: after a later `**` an earlier one need not be tried again. */
function matchParts(parts: readonly (NameTest | '**')[], path: readonly string[]): boolean {
  let part = 0
  let place = 0
  let backPart = -1
  let backPlace = 0
  while (place < path.length) {
    const test = parts[part]
    if (test === '**') {
      backPart = part
      backPlace = place
      part += 1
    } else if (test?.(path[place] ?? '')) {
      part += 1
      place += 1
    } else if (backPart >= 0) {
      backPlace += 1
      part = backPart + 1
      place = backPlace
    } else {
      return false
    }
  }
  while (parts[part] === '**') part += 1
  return part === parts.length
}

type Step = number | 'one' | 'many' | CharacterClass

function stepsOf(token: Token): Step[] {
  if (token.kind === 'literal') return Array.from(token.text, (letter) => letter.codePointAt(0) ?? 0)
  return token.kind === 'class' ? [token] : [token.kind]
}

function matchSteps(steps: readonly Step[], name: readonly number[]): boolean {
  let step = 0
  let place = 0
  let backStep = -1
  let backPlace = 0
  while (place < name.length) {
    const wanted = steps[step]
    if (wanted === 'many') {
      backStep = step
      backPlace = place
      step += 1
    } else if (wanted !== undefined && matchStep(wanted, name[place] ?? 0)) {
      step += 1
      place += 1
    } else if (backStep >= 0) {
      backPlace += 1
      step = backStep + 1
      place = backPlace
    } else {
      return false
    }
  }
  while (steps[step] === 'many') step += 1
  return step === steps.length
}

function matchStep(step: Exclude<Step, 'many'>, codePoint: number): boolean {
  if (typeof step === 'number') return step === codePoint
  return step === 'one' || step.includes(codePoint) !== step.isNegated
}

function tokenize(pattern: string): Token[] | null {
  const letters = Array.from(pattern)
  const tokens: Token[] = []
  const literal = (letter: string) => {
    const last = tokens.at(-1)
    if (last?.kind === 'literal') last.text += letter
    else tokens.push({ kind: 'literal', text: letter })
  }
  for (let place = 0; place < letters.length; place += 1) {
    const letter = letters[place] ?? ''
    if (letter === '*') {
      if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' })
    } else if (letter === '?') {
      tokens.push({ kind: 'one' })
    } else if (letter === '[') {
      const read = readClass(letters, place)
      if (read === null) return null
      tokens.push(read.token)
      place = read.end
    } else if (letter === '\\') {
      const next = letters[place + 1]
      if (next === undefined) return null
      literal(next)
      place += 1
    } else {
      literal(letter)
    }
  }
  return tokens
}

/** `start` is at the "["; `end` will be at the "]". Null if it is never closed. */
function readClass(letters: readonly string[], start: number): { token: CharacterClass; end: number } | null {
  let place = start + 1
  const isNegated = letters[place] === '!' || letters[place] === '^'
  if (isNegated) place += 1
  const tests: ((codePoint: number) => boolean)[] = []
  for (let isFirst = true; isFirst || letters[place] !== ']'; isFirst = false) {
    if (place >= letters.length) return null
    const named = letters[place] === '[' && letters[place + 1] === ':' ? readNamed(letters, place) : null
    if (named) {
      tests.push(named.test)
      place = named.end + 1
      continue
    }
    const from = readOne(letters, place)
    if (from === null) return null
    place = from.end + 1
    const isRange = letters[place] === '-' && letters[place + 1] !== ']' && letters[place + 1] !== undefined
    const to = isRange ? readOne(letters, place + 1) : from
    if (to === null) return null
    if (isRange) place = to.end + 1
    tests.push((codePoint) => codePoint >= from.codePoint && codePoint <= to.codePoint)
  }
  return {
    token: { kind: 'class', isNegated, includes: (codePoint) => tests.some((test) => test(codePoint)) },
    end: place,
  }
}

function readOne(letters: readonly string[], place: number): { codePoint: number; end: number } | null {
  const end = letters[place] === '\\' ? place + 1 : place
  const codePoint = letters[end]?.codePointAt(0)
  return codePoint === undefined ? null : { codePoint, end }
}

const NAMED: Readonly<Record<string, RegExp>> = {
  alnum: /[a-zA-Z0-9]/,
  alpha: /[a-zA-Z]/,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-fA-F]/,
}

/** `[:digit:]` inside of a set; `end` is at its last "]". */
function readNamed(letters: readonly string[], start: number) {
  const close = letters.indexOf(']', start)
  const name = letters.slice(start + 2, close - 1).join('')
  const expression = letters[close - 1] === ':' ? NAMED[name] : undefined
  if (!expression) return null
  return { end: close, test: (codePoint: number) => expression.test(String.fromCodePoint(codePoint)) }
}

const MAX_ALTERNATIVES = 64

/** `a.{ts,js}` as `a.ts` and `a.js`. A brace that is not closed stands for itself. Null if there are too many. */
export function expandBraces(pattern: string): string[] | null {
  const brace = findBraces(pattern)
  if (!brace) return [pattern]
  const { start, end, options } = brace
  const expanded: string[] = []
  for (const option of options) {
    const rest = expandBraces(`${pattern.slice(0, start)}${option}${pattern.slice(end + 1)}`)
    if (rest === null) return null
    expanded.push(...rest)
    if (expanded.length > MAX_ALTERNATIVES) return null
  }
  return expanded
}

/** The first pair of braces with a comma between them. */
function findBraces(pattern: string): { start: number; end: number; options: string[] } | null {
  for (let start = pattern.indexOf('{'); start >= 0; start = pattern.indexOf('{', start + 1)) {
    if (pattern[start - 1] === '\\') continue
    const options: string[] = []
    let depth = 0
    let from = start + 1
    for (let place = start; place < pattern.length; place += 1) {
      const letter = pattern[place]
      if (letter === '\\') place += 1
      else if (letter === '{') depth += 1
      else if (letter === ',' && depth === 1) {
        options.push(pattern.slice(from, place))
        from = place + 1
      } else if (letter === '}') {
        depth -= 1
        if (depth > 0) continue
        options.push(pattern.slice(from, place))
        if (options.length > 1) return { start, end: place, options }
        break
      }
    }
  }
  return null
}
