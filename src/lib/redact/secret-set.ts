/** Takes secrets out of text: what looks like one, and the values that are known to be. */

import { finish, SlicedWork, type Steps } from '../sliced-work.js'
import { KnownSecrets, MIN_CHARACTERS } from './known-secret.js'
import {
  FORMATS,
  KEY_END,
  KEY_START,
  MAX_BEHIND,
  MAX_START,
  NAMED,
  type SecretShape,
  WEB_TOKEN,
} from './secret-pattern.js'

const HIDDEN = '[redacted]'
/** Where a text was made shorter, or may have been: a text in JSON that was interrupted ends with its quote. */
const CUTS = ['…', '"']
/** How much of a text is searched before others may have their turn, and how many places in it are looked at closely. */
const SLICE = 16_384
const MAX_TRIES = 200
const LEARNED_AT_ONCE = 100
const SHORT_TEXT = 8_192

/**
 * Where a value is known from. `configured`: tokens, variables, headers, accounts. `file`: protected files of workspaces. `text`: it
 * stood behind a name for a secret in some text.
 */
export type SecretSource = 'configured' | 'file' | 'text'

/**
 * Agents choose the content of files and texts: those have bounds of their own, with the least recently seen
 * evicted. So no text can evict configured secrets, nor those of a file.
 */
const MAX_KNOWN: Readonly<Record<SecretSource, number>> = {
  configured: Number.POSITIVE_INFINITY,
  file: 20_000,
  text: 5_000,
}

/** The known secrets; the set grows while the program runs. */
export interface SecretSet {
  /** From now on these are redacted in every text. Returns those that are new. */
  learn(secrets: Iterable<string>, source?: SecretSource): string[]
  redact(text: string): string
  /**
   * For texts that may repeat what the reader has sent. Nothing is learned from them, and only whole values are hidden: otherwise the
   * reader could try beginnings of secrets, letter by letter.
   */
  redactEcho(text: string): string
  /** The same results; a long text is redacted in slices, so that the event loop never waits for it. */
  redactInSlices(text: string): Promise<string>
  redactEchoInSlices(text: string): Promise<string>
}

export function createSecretSet(secrets: Iterable<string> = []): SecretSet {
  const known = new KnownSecrets()
  const work = new SlicedWork()
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

  function withoutKnown(text: string): Steps<string> {
    return known.hide(text, {
      hidden: HIDDEN,
      cuts: CUTS,
      onFound(value) {
        for (const members of [sources.text, sources.file]) if (members.delete(value)) members.add(value)
      },
    })
  }

  function* redacted(text: string): Steps<string> {
    const named = new Set<string>()
    const result = yield* withoutPatterns(yield* withoutKnown(text), (value) => {
      if (isRandom(value)) named.add(value)
    })
    // A value that was named as a secret once is redacted everywhere, also where it has no name.
    const fresh = yield* learnNamed([...named].slice(-MAX_KNOWN.text))
    return fresh ? yield* withoutKnown(result) : result
  }

  /** Whether one of them is new. */
  function* learnNamed(named: readonly string[]): Steps<boolean> {
    let isFresh = false
    for (let at = 0; at < named.length; at += LEARNED_AT_ONCE) {
      isFresh = learn(named.slice(at, at + LEARNED_AT_ONCE), 'text').length > 0 || isFresh
      yield
    }
    return isFresh
  }

  function* echoed(text: string): Steps<string> {
    return yield* withoutPatterns(yield* known.hide(text, { hidden: HIDDEN, cuts: [] }), () => {})
  }

  /** A short text is not worth a turn of the event loop. */
  async function inSlices(text: string, steps: (text: string) => Steps<string>): Promise<string> {
    return text.length <= SHORT_TEXT ? finish(steps(text)) : work.run(steps(text))
  }

  learn(secrets)
  return {
    learn,
    redact: (text) => finish(redacted(text)),
    redactEcho: (text) => finish(echoed(text)),
    redactInSlices: (text) => inSlices(text, redacted),
    redactEchoInSlices: (text) => inSlices(text, echoed),
  }
}

function* withoutPatterns(text: string, onNamed: (value: string) => void): Steps<string> {
  let result = yield* withoutKeys(text)
  for (const [needle, format] of FORMATS)
    if (result.includes(needle)) result = yield* replaceShape(result, format, () => HIDDEN)
  result = yield* replaceShape(result, WEB_TOKEN, ([run, token]) => (token === undefined ? run : HIDDEN))
  for (const named of NAMED)
    result = yield* replaceShape(result, named, ([, name = '', value = '']) => {
      onNamed(value)
      return `${name}${HIDDEN}`
    })
  return result
}

/** As `replaceAll` does, slice by slice. */
function* replaceShape(
  text: string,
  { start, whole }: SecretShape,
  replace: (match: RegExpExecArray) => string,
): Steps<string> {
  let result = ''
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + SLICE, text.length)
    const from = Math.max(0, at - MAX_BEHIND)
    const slice = text.slice(from, end + MAX_START)
    let next = end
    start.lastIndex = at - from
    for (let tries = 0; ; tries += 1) {
      const found = start.exec(slice)
      const place = found ? from + found.index : end
      if (place >= end) break
      if (tries === MAX_TRIES) {
        next = place
        break
      }
      whole.lastIndex = place
      const match = whole.exec(text)
      if (match) {
        result += text.slice(copied, place) + replace(match)
        copied = place + match[0].length
      }
      const behind = match ? copied : place + 1
      next = Math.max(end, behind)
      if (behind >= end) break
      start.lastIndex = behind - from
    }
    at = next
    yield
  }
  return copied === 0 ? text : result + text.slice(copied)
}

/** Each private key up to its end; one without an end hides the rest. */
function* withoutKeys(text: string): Steps<string> {
  let result = ''
  let copied = 0
  for (let start = find(KEY_START, text, 0); start; start = find(KEY_START, text, copied)) {
    const end = find(KEY_END, text, start.index + start[0].length)
    result += text.slice(copied, start.index) + HIDDEN
    copied = end === null ? text.length : end[0] === '"' ? end.index : end.index + end[0].length
    yield
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
