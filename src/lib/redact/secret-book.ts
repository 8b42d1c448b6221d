/** Takes secrets out of text: what looks like one, and the values that are known to be. */

import { KnownSecrets, MIN_CHARACTERS } from './known-secret.js'
import { FORMATS, KEY_END, KEY_START, NAMED, WEB_TOKEN } from './secret-pattern.js'

const HIDDEN = '[redacted]'
/** Where a text was made shorter. */
const CUT = '…'

/**
 * Where a value is known from. `configured`: tokens, variables, headers, accounts. `file`: protected files of workspaces. `text`: it
 * stood behind a name for a secret in some text.
 */
export type SecretSource = 'configured' | 'file' | 'text'

/**
 * Agents choose what is in files and texts: those have bounds of their own, and what was seen longest ago makes room. So no text can
 * push out what was configured, nor what is in a file.
 */
const MAX_KNOWN: Readonly<Record<SecretSource, number>> = {
  configured: Number.POSITIVE_INFINITY,
  file: 20_000,
  text: 5_000,
}

/** What is known to be secret; it grows while the program runs. */
export interface SecretBook {
  /** From now on these are taken out of every text. Returns those that are new. */
  learn(secrets: Iterable<string>, source?: SecretSource): string[]
  redact(text: string): string
  /**
   * For texts that may repeat what the reader has sent. Nothing is learned from them, and only whole values are hidden: otherwise the
   * reader could try beginnings of secrets, letter by letter.
   */
  redactEcho(text: string): string
}

export function createSecretBook(secrets: Iterable<string> = []): SecretBook {
  const known = new KnownSecrets()
  /** Each in the order in which they were seen last. */
  const sources: Readonly<Record<SecretSource, Set<string>>> = {
    configured: new Set(),
    file: new Set(),
    text: new Set(),
  }

  function learn(more: Iterable<string>, source: SecretSource = 'configured'): string[] {
    const members = sources[source]
    const fresh: string[] = []
    for (const secret of new Set(more)) {
      if (secret.length < MIN_CHARACTERS) continue
      if (members.delete(secret)) {
        members.add(secret)
        continue
      }
      members.add(secret)
      for (const spelled of spellings(secret)) known.add(spelled)
      fresh.push(secret)
    }
    for (const oldest of members) {
      if (members.size <= MAX_KNOWN[source]) break
      members.delete(oldest)
      for (const spelled of spellings(oldest)) known.remove(spelled)
    }
    return fresh
  }

  function withoutKnown(text: string): string {
    return known.hide(text, {
      hidden: HIDDEN,
      cut: CUT,
      onFound(value) {
        for (const members of [sources.text, sources.file]) if (members.delete(value)) members.add(value)
      },
    })
  }

  function withoutPatterns(text: string, onNamed: (value: string) => void): string {
    let result = withoutKeys(text)
    for (const [needle, format] of FORMATS)
      if (result.includes(needle)) result = result.replaceAll(format, HIDDEN)
    result = result.replaceAll(WEB_TOKEN, (run: string, token?: string) =>
      token === undefined ? run : HIDDEN,
    )
    for (const pattern of NAMED)
      result = result.replaceAll(pattern, (_, name: string, value: string) => {
        onNamed(value)
        return `${name}${HIDDEN}`
      })
    return result
  }

  function redact(text: string): string {
    const named = new Set<string>()
    const result = withoutPatterns(withoutKnown(text), (value) => named.add(value))
    // What was called a secret once is one wherever else it stands, also where nothing says so.
    const fresh = learn([...named].filter(isRandom), 'text')
    return fresh.length > 0 ? withoutKnown(result) : result
  }

  learn(secrets)
  return {
    learn,
    redact,
    redactEcho: (text) => withoutPatterns(known.hide(text, { hidden: HIDDEN, cut: null }), () => {}),
  }
}

/** Each private key up to its end; one without an end hides the rest. */
function withoutKeys(text: string): string {
  let result = ''
  let copied = 0
  for (let start = find(KEY_START, text, 0); start; start = find(KEY_START, text, copied)) {
    const end = find(KEY_END, text, start.index + start[0].length)
    result += text.slice(copied, start.index) + HIDDEN
    copied = end === null ? text.length : end[0] === '"' ? end.index : end.index + end[0].length
  }
  return copied === 0 ? text : result + text.slice(copied)
}

function find(expression: RegExp, text: string, from: number): RegExpExecArray | null {
  expression.lastIndex = from
  return expression.exec(text)
}

/** Letters and digits, and neither a path nor a call: not a word that happens to stand behind a name. */
function isRandom(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value) && !/[/.()[\]{}$<>]/.test(value)
}

/** As it is, in JSON, in JSON within JSON, and in an address. */
function spellings(secret: string): Set<string> {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const twice = JSON.stringify(inJson).slice(1, -1)
  return new Set([secret, inJson, twice, inAddress(secret)])
}

function inAddress(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    return secret // Half a character cannot be in an address.
  }
}

/** The same value without the secrets in its texts. What cannot be put together again is left out as a whole. */
export function redactJson<Value>(value: Value, redact: (text: string) => string): Value | null {
  const json = JSON.stringify(value)
  const hidden = redact(json)
  if (hidden === json) return value
  try {
    return JSON.parse(hidden) as Value // The value, but for some of its texts.
  } catch {
    return null
  }
}
