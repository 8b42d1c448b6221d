/** Which values are secrets, by where they stand: in variables, headers and files that are there for secrets. */

/** Values of variables whose names say that they are secret. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value !== undefined && /HEADERS$/i.test(name)) return headerValues(value)
    return value !== undefined && /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|COOKIE|AUTH(?!_SOCK)/i.test(name)
      ? partsOf(value)
      : []
  })
}

/** `OTEL_EXPORTER_OTLP_HEADERS` and its kin: `name=value,name=value`, percent-encoded or not. */
function headerValues(list: string): string[] {
  return list
    .split(',')
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    .flatMap((value) => [value, value.replaceAll('%20', ' ')])
    .flatMap(partsOf)
    .filter(isTelling)
}

/** Values that were handed over in a place that is there for secrets, whatever their names. */
export function tellingValues(values: readonly string[]): string[] {
  return values.flatMap(partsOf).filter(isTelling)
}

/** The secrets in an environment file: values with names, and lines that consist of a value only. */
export function secretsInFile(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => {
      const bare = line.trim()
      const value = valueOf(bare)
      if (value !== '') return partsOf(value)
      return /^\S{16,}$/.test(bare) ? [bare] : []
    })
    .filter(isTelling)
}

/** The value of a line of settings, without its quotes; empty if it has no name. */
function valueOf(line: string): string {
  const [name = ''] = /^(?:export\s)?\s*["']?[\w.-]+["']?\s*[=:]/.exec(line) ?? []
  if (name === '') return ''
  const value = line.slice(name.length).trim()
  const whole = value.endsWith(',') ? value.slice(0, -1).trimEnd() : value
  const isQuoted = whole.length > 1 && /^["']/.test(whole) && whole.endsWith(whole.charAt(0))
  return isQuoted ? whole.slice(1, -1) : whole
}

/** The value, and the parts of it that are secret on their own: after a scheme, and in a URL. */
function partsOf(value: string): string[] {
  const [, credential] = /^(?:Bearer|Basic|Token|Digest)\s+(\S+)$/i.exec(value) ?? []
  const [, password] = /^[a-z][\w+.-]*:\/\/[^\s/:@]*:([^\s@]+)@/i.exec(value) ?? []
  return [value, credential, password].filter((part) => part !== undefined)
}

/** Not a word, a number, a plain URL or a path: those appear in many texts and are no secrets. */
function isTelling(value: string): boolean {
  return !/^(?:[a-z]{1,11}|[\d.]{1,9}|true|false|https?:\/\/[^@?]*|\.{0,2}\/.*)$/i.test(value)
}
