/**
 * Patterns of secrets. ReDoS: these expressions see untrusted text, so each must take linear time on every text.
 * Nothing in them is repeated without a bound unless the following character cannot be part of it.
 * `secret-pattern.test.ts` checks that.
 */

/**
 * Two expressions for one shape, so that a long text can be searched in slices: `start` matches wherever `whole` does, and is bounded
 * (`MAX_START` characters), so that no match is missed at the edge of a slice. `whole` is tried only where `start` matches.
 */
export interface SecretShape {
  start: RegExp
  whole: RegExp
}

/** No `start` is longer than this, and none looks further back than `MAX_BEHIND`. */
export const MAX_START = 160
export const MAX_BEHIND = 2

/** A word begins here: also behind the end of a line as JSON has it, where a letter stands before it. */
const START = String.raw`(?:(?<!\w)|(?<=\\[nrtbf]))`

function shape(start: string, whole: string, flags = ''): SecretShape {
  return { start: new RegExp(start, `g${flags}`), whole: new RegExp(whole, `y${flags}`) }
}

/** Formats that nothing but a secret has; each with what is in all of them, which is quick to look for. */
export const FORMATS: readonly (readonly [needle: string, format: SecretShape])[] = [
  ['sk-', shape('sk-', String.raw`(?:${START}sk-(?:proj-)?[A-Za-z0-9_-]{20,}|sk-ant-[\w-]{10,})`)],
  [
    '_',
    shape(
      `${START}(?:gh[pousr]_|github_pat_|npm_)`,
      String.raw`${START}(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|npm_[A-Za-z0-9]{36}\b)`,
    ),
  ],
  ['sbx_', shape(`${START}sbx_`, String.raw`${START}sbx_[\w-]{20,}`)],
  ['glpat-', shape(`${START}glpat-`, String.raw`${START}glpat-[\w-]{20,}`)],
  ['xox', shape(`${START}xox`, String.raw`${START}xox[abprs]-[\w-]{10,}`)],
  ['IA', shape(`${START}A[KS]IA`, String.raw`${START}A[KS]IA[0-9A-Z]{16}\b`)],
  ['AIza', shape(`${START}AIza`, String.raw`${START}AIza[\w-]{35}\b`)],
  ['k_', shape(`${START}[rs]k_`, String.raw`${START}[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`)],
]

/** Where a private key begins, and where it ends: also at the end of the text in quotes that it stands in. */
export const KEY_START = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g
export const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY-----|"/g

/**
 * A JSON web token, if the group is there. A text that only begins like one is matched as well, up to its end, so that nothing in it is tried
 * again as the beginning of another.
 */
export const WEB_TOKEN = shape(`${START}eyJ`, String.raw`${START}eyJ[\w-]{10,}(\.[\w-]{10,}\.[\w-]{5,})?`)

const NAME = String.raw`(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passwd|password|passphrase|authorization|credential)s?`
const SPACE = String.raw`\s{0,40}`
const GAP = String.raw`\s{1,40}`
const QUOTE = String.raw`\\{0,16}["']`
const VALUE = String.raw`[^\s"'\\,;&]{4,}`
const SCHEME = String.raw`(?:(?:Bearer|Basic|Digest|Token)${GAP})?`
/** Not a number, a word of JSON, a list or an object: text that was JSON stays JSON, and counters stay counters. */
const BARE = String.raw`(?![\d{[-]|(?:true|false|null)\b)`
const VARIABLE = '[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|CREDENTIAL)[A-Z0-9_]{0,60}'
const OPTION = '--(?:password|token|secret|api-?key|passphrase)'
const USER = String.raw`(?:\s|\\[nt])(?:-u|--user)`
const ADDRESS = `${START}[a-z][a-z0-9+.-]{0,20}://`

/** Values that follow a name for a secret, in code, settings, headers, commands and addresses: the name, then the value. */
export const NAMED: readonly SecretShape[] = [
  shape(NAME, `(${NAME}${QUOTE}${SPACE}[:=]${SPACE}(?:${QUOTE}${SCHEME}|${BARE}))(${VALUE})`, 'i'),
  shape(NAME, `(${NAME}${SPACE}[:=]${SPACE}(?:${QUOTE})?${SCHEME})(?![{[])(${VALUE})`, 'i'),
  // As variables are written: AWS_SECRET_ACCESS_KEY=…
  shape(`${START}${VARIABLE}=`, `(${START}${VARIABLE}=(?:${QUOTE})?)(${VALUE})`),
  shape(`${START}cookie`, `(${START}cookie${QUOTE}${SPACE}[:=]${SPACE}${QUOTE})([^"'\\\\\\r\\n]{4,})`, 'i'),
  shape(`${START}cookie`, `(${START}cookie${SPACE}[:=]${SPACE}(?:${QUOTE})?)([^"'\\\\\\r\\n]{4,})`, 'i'),
  shape(OPTION, `(${OPTION}${GAP}(?:${QUOTE})?)(${VALUE})`, 'i'),
  shape(USER, `(${USER}[\\s=]{1,40}(?:${QUOTE})?[^\\s:="'\\\\][^\\s:"'\\\\]{0,199}:)(${VALUE})`),
  shape(ADDRESS, `(${ADDRESS}[^\\s/:@"']{0,200}:)([^\\s/@"']{1,500})(?=@)`, 'i'),
  shape(`${START}Bearer`, `(${START}Bearer${GAP})([\\w.~+/-]{8,}=*)`, 'i'),
]
