/** A filter of `jq`: whether every token of it is known, and whether it shows the environment or reads other files. */

import { spend } from '../../../lib/step-budget.js'

export interface JqFilter {
  showsEnvironment: boolean
  readsFiles: boolean
  /** Every byte was accounted for, and every function depends only on its input. */
  isUnderstood: boolean
}

interface Token {
  kind: 'name' | 'variable' | 'mark' | 'value'
  text: string
}

export function readJqFilter(filter: string): JqFilter {
  spend(filter.length * 4)
  const tokens = tokenise(filter)
  const names = (tokens ?? []).filter(({ kind }) => kind === 'name')
  const words = tokens === null ? (filter.match(/[A-Za-z_]\w*/g) ?? []) : names.map(({ text }) => text)
  const variables = (tokens ?? []).filter(({ kind }) => kind === 'variable')
  return {
    showsEnvironment:
      variables.some(({ text }) => /^(?:ENV|__prog_args)$/.test(text)) ||
      words.some((word) => /^(?:env|ENV|__prog_args)$/.test(word)),
    readsFiles: words.some((word) => READS.has(word)),
    isUnderstood: tokens !== null && allKnown(tokens),
  }
}

const READS = new Set(['import', 'include', 'input_filename', 'get_search_list', 'modulemeta'])

function allKnown(tokens: readonly Token[]): boolean {
  const defined = new Set<string>()
  tokens.forEach(({ kind, text }, index) => {
    if (kind !== 'name' || text !== 'def') return
    // The name of the function and its parameters, up to the colon.
    for (let at = index + 1; at < tokens.length && tokens[at]?.text !== ':'; at++) {
      spend(0.5)
      if (tokens[at]?.kind === 'name') defined.add(tokens[at]?.text ?? '')
    }
  })
  return tokens.every(({ kind, text }) => kind !== 'name' || KNOWN.has(text) || defined.has(text))
}

const PIECE =
  /\s+|#[^\n\r\\]*(?=\n|$)|\.[A-Za-z_]\w*|\$\s*(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*|(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|@[A-Za-z0-9]+|\?\/\/=?|\/\/=|\|=|\/\/|[=!<>+\-*/%]=|\.\.|[.[\]{}()|,:;=<>+\-*/%?"$]/y
const TEXT = /[^"\\]*/y

/** Null if a part of it is not valid jq. The text inside `\(…)` is code. */
function tokenise(filter: string): Token[] | null {
  const tokens: Token[] = []
  /** The open brackets, and the strings that continue behind an interpolation. */
  const open: string[] = []
  let at = 0
  let inText = false
  while (at < filter.length) {
    if (inText) {
      TEXT.lastIndex = at
      at += TEXT.exec(filter)?.[0].length ?? 0
      if (filter[at] === '"') {
        inText = false
        tokens.push({ kind: 'value', text: '' })
        at++
      } else if (filter[at + 1] === '(') {
        inText = false
        open.push('"')
        at += 2
      } else if (/^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(filter.slice(at, at + 6))) at += 2
      else return null
      continue
    }
    PIECE.lastIndex = at
    const text = PIECE.exec(filter)?.[0]
    if (text === undefined) return null
    at += text.length
    if (/^[\s#]/.test(text)) continue
    if (text === '"') inText = true
    else if (text === ')' && open.at(-1) === '"') {
      open.pop()
      inText = true
    } else if ('([{'.includes(text)) open.push(text)
    else if (')]}'.includes(text) && open.pop() !== PAIRS[text]) return null
    if (text === '"') continue
    const token = tokenOf(text, open.at(-1) === '{' && isKey(filter, at, tokens.at(-1)))
    // Inside `if`, a comma does not start another key.
    if (token.kind === 'name' && text === 'if') open.push('if')
    else if (token.kind === 'name' && text === 'end' && open.pop() !== 'if') return null
    tokens.push(token)
  }
  return inText || open.length > 0 ? null : tokens
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

function tokenOf(text: string, isKeyOfObject: boolean): Token {
  if (text.startsWith('$') && text !== '$') return { kind: 'variable', text: text.replace(/^\$\s*/, '') }
  if (/^[A-Za-z_]/.test(text) && !isKeyOfObject) return { kind: 'name', text }
  return /^[\w@.]/.test(text) && text !== '.' && text !== '..'
    ? { kind: 'value', text }
    : { kind: 'mark', text }
}

/** `{env: 1, name}`: names of fields, not functions. */
function isKey(filter: string, at: number, before: Token | undefined): boolean {
  return /^[{,]$/.test(before?.text ?? '') && /^\s*[:,}]/.test(filter.slice(at, at + 100))
}

/** Keywords of jq, and functions that depend only on their input. */
const KNOWN = new Set(
  `__loc__ abs acos acosh add all and any arrays as ascii ascii_downcase ascii_upcase asin asinh atan atan2 atanh
  booleans break bsearch builtins capture catch cbrt ceil combinations contains copysign cos cosh date dateadd
  datesub debug def del delpaths drem elif else empty end endswith erf error exp exp10 exp2 explode expm1 fabs
  false fdim finites first flatten floor fma fmax fmin fmod foreach frexp from_entries fromdate fromdateiso8601
  fromjson fromstream gamma getpath gmtime GROUP_BY group_by gsub halt halt_error has have_decnum
  have_literal_numbers hypot if implode IN in INDEX index indices infinite input input_line_number inputs inside
  isempty isfinite isinfinite isnan isnormal isvalid iterables join keys keys_unsorted label last ldexp
  leaf_paths length lgamma lgamma_r limit localtime log log10 log1p log2 logb ltrim ltrimstr map map_values
  match max max_by min min_by mktime modf nan nearbyint nextafter nexttoward normals not now nth null nulls
  numbers objects or path paths pick pow pow10 range recurse recurse_down reduce repeat reverse rindex rint
  round rtrim rtrimstr scalars scalb scalbln scan select setpath significand sin sinh skip sort sort_by split
  splits sqrt startswith stderr strflocaltime strftime strings strptime sub tan tanh test tgamma then to_entries
  toarray todate todateiso8601 tojson tonumber tostream tostring transpose trim trimstr true trunc
  truncate_stream try type unique UNIQUE_BY unique_by until utf8bytelength values walk while with_entries`.split(
    /\s+/,
  ),
)
