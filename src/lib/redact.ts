/** Takes secrets out of text: what looks like one, and the values that are known to be. */

const HIDDEN = '[redacted]'

/** Formats that nothing but a secret has. */
const FORMATS = [
  /sk-ant-[\w-]{10,}/g,
  /\bsk-[A-Za-z0-9]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_\w{30,}/g,
  /\bsbx_[\w-]{20,}/g,
  /\bglpat-[\w-]{20,}/g,
  /\bxox[abprs]-[\w-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

const NAME = String.raw`(?:api[_-]?key|secret|token|passwd|password|authorization|credential)s?`
const QUOTE = String.raw`\\*["']`
const VALUE = String.raw`[^\s"'\\,;&]{4,}`
/** Not a number, a word of JSON, a list or an object: text that was JSON stays JSON, and counters stay counters. */
const BARE = String.raw`(?![\d{[-]|(?:true|false|null)\b)`

/** What stands behind a name for a secret, in code, settings, headers and addresses; the name stays. */
const NAMED = [
  new RegExp(`(${NAME}${QUOTE}\\s*[:=]\\s*(?:${QUOTE}(?:Bearer\\s+)?|${BARE}))(${VALUE})`, 'gi'),
  new RegExp(`(${NAME}\\s*[:=]\\s*(?:${QUOTE})?(?:Bearer\\s+)?)(?![{[])(${VALUE})`, 'gi'),
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*:)([^\s/@"']+)(?=@)/gi,
  /(\bBearer\s+)([\w.~+/-]{8,}=*)/gi,
]

export function createRedactor(knownSecrets: readonly string[]): (text: string) => string {
  // Short values would hide half of every text.
  const known = knownSecrets.filter((secret) => secret.length >= 8)
  return (text) => {
    let result = text
    for (const secret of known) result = result.replaceAll(secret, HIDDEN)
    for (const format of FORMATS) result = result.replaceAll(format, HIDDEN)
    for (const named of NAMED) result = result.replaceAll(named, `$1${HIDDEN}`)
    return result
  }
}

/** Values of variables whose names say that they are secret. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name) ? [value] : [],
  )
}
