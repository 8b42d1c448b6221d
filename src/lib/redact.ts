/** Takes secrets out of text: what looks like one, and the values that are known to be. */

const HIDDEN = '[redacted]'

/** A word begins here: also behind the end of a line as JSON has it, where a letter stands before it. */
const START = String.raw`(?:(?<!\w)|(?<=\\[nrtbf]))`

/** Formats that nothing but a secret has; each with what is in all of them, which is quick to look for. */
const FORMATS: readonly [needle: string, format: RegExp][] = (
  [
    ['sk-', String.raw`(?:${START}sk-(?:proj-)?[A-Za-z0-9_-]{20,}|sk-ant-[\w-]{10,})`],
    ['_', String.raw`${START}(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|npm_[A-Za-z0-9]{36}\b)`],
    ['sbx_', String.raw`${START}sbx_[\w-]{20,}`],
    ['glpat-', String.raw`${START}glpat-[\w-]{20,}`],
    ['xox', String.raw`${START}xox[abprs]-[\w-]{10,}`],
    ['IA', String.raw`${START}(?:AKIA|ASIA)[0-9A-Z]{16}\b`],
    ['AIza', String.raw`${START}AIza[\w-]{35}\b`],
    ['k_', String.raw`${START}[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`],
    ['eyJ', String.raw`${START}eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}`],
    // Up to its end, or to the end of the text in quotes that it stands in.
    ['PRIVATE KEY', '-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?=")|$)'],
  ] as const
).map(([needle, format]) => [needle, new RegExp(format, 'g')])

const NAME = String.raw`(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passwd|password|passphrase|authorization|credential)s?`
const QUOTE = String.raw`\\*["']`
const VALUE = String.raw`[^\s"'\\,;&]{4,}`
const SCHEME = String.raw`(?:(?:Bearer|Basic|Digest|Token)\s+)?`
/** Not a number, a word of JSON, a list or an object: text that was JSON stays JSON, and counters stay counters. */
const BARE = String.raw`(?![\d{[-]|(?:true|false|null)\b)`

/** What stands behind a name for a secret, in code, settings, headers, commands and addresses; the name stays. */
const NAMED = [
  new RegExp(`(${NAME}${QUOTE}\\s*[:=]\\s*(?:${QUOTE}${SCHEME}|${BARE}))(${VALUE})`, 'gi'),
  new RegExp(`(${NAME}\\s*[:=]\\s*(?:${QUOTE})?${SCHEME})(?![{[])(${VALUE})`, 'gi'),
  // As variables are written: AWS_SECRET_ACCESS_KEY=…
  new RegExp(
    `(${START}[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|CREDENTIAL)[A-Z0-9_]{0,60}=(?:${QUOTE})?)(${VALUE})`,
    'g',
  ),
  new RegExp(`(${START}cookie${QUOTE}\\s*[:=]\\s*${QUOTE})([^"'\\\\\\r\\n]{4,})`, 'gi'),
  new RegExp(`(${START}cookie\\s*[:=]\\s*(?:${QUOTE})?)([^"'\\\\\\r\\n]{4,})`, 'gi'),
  new RegExp(`(--(?:password|token|secret|api-?key|passphrase)\\s+(?:${QUOTE})?)(${VALUE})`, 'gi'),
  new RegExp(`((?:\\s|\\\\[nt])(?:-u|--user)[\\s=]+(?:${QUOTE})?[^\\s:"'\\\\]+:)(${VALUE})`, 'g'),
  new RegExp(`(${START}[a-z][a-z0-9+.-]{0,20}://[^\\s/:@"']{0,200}:)([^\\s/@"']{1,500})(?=@)`, 'gi'),
  new RegExp(`(${START}Bearer\\s+)([\\w.~+/-]{8,}=*)`, 'gi'),
]

/** What is known to be secret; it grows while the program runs. */
export interface SecretBook {
  /** From now on these are taken out of every text. Returns those that are new. */
  learn(secrets: Iterable<string>): string[]
  redact(text: string): string
}

/** Short values would hide half of every text. */
const MIN_CHARACTERS = 6
/** The oldest make room: each costs a look at every text. */
const MAX_KNOWN = 5_000

export function createSecretBook(secrets: Iterable<string> = []): SecretBook {
  /** Each with the ways in which it may be written. */
  const known = new Map<string, readonly string[]>()

  function learn(more: Iterable<string>): string[] {
    const fresh = [...new Set(more)].filter((secret) => secret.length >= MIN_CHARACTERS && !known.has(secret))
    for (const secret of fresh) known.set(secret, spellings(secret))
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break
      known.delete(oldest)
    }
    return fresh
  }

  function withoutKnown(text: string): string {
    let result = text
    for (const spelled of known.values())
      for (const secret of spelled) if (result.includes(secret)) result = result.replaceAll(secret, HIDDEN)
    return result.includes(CUT) ? withoutCutOnes(result, known.keys()) : result
  }

  function redact(text: string): string {
    let result = withoutKnown(text)
    const named = new Set<string>()
    for (const [needle, format] of FORMATS)
      if (result.includes(needle)) result = result.replaceAll(format, HIDDEN)
    for (const pattern of NAMED)
      result = result.replaceAll(pattern, (_, name: string, value: string) => {
        named.add(value)
        return `${name}${HIDDEN}`
      })
    // What was called a secret once is one wherever else it stands, also where nothing says so.
    const fresh = learn([...named].filter(isRandom))
    return fresh.length > 0 ? withoutKnown(result) : result
  }

  learn(secrets)
  return { learn, redact }
}

/** Where a text was made shorter. */
const CUT = '…'

/** The beginning of a secret that the end of a text has cut off is one too. */
function withoutCutOnes(text: string, secrets: Iterable<string>): string {
  const parts = text.split(CUT)
  const all = [...secrets]
  return parts
    .map((part, index) => {
      if (index === parts.length - 1) return part
      const length = Math.max(0, ...all.map((secret) => overlap(part, secret)))
      return length >= MIN_CHARACTERS ? part.slice(0, -length) + HIDDEN : part
    })
    .join(CUT)
}

/** How much of the beginning of a secret stands at the end of a text. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(secret.length, text.length); length >= MIN_CHARACTERS; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return length
  return 0
}

/** Letters and digits, and neither a path nor a call: not a word that happens to stand behind a name. */
function isRandom(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value) && !/[/.()[\]{}$<>]/.test(value)
}

/** As it is, in JSON, in JSON within JSON, and in an address. */
function spellings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const twice = JSON.stringify(inJson).slice(1, -1)
  return [...new Set([secret, inJson, twice, inAddress(secret)])]
}

function inAddress(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    return secret // Half a character can not be in an address.
  }
}

/** The same value without the secrets in its texts. What can not be put together again is left out as a whole. */
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
