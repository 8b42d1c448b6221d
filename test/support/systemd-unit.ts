/** Reads a unit as systemd does (systemd.syntax, systemd.service), independently of the code that writes it. */

export interface Unit {
  /** The last value of a directive, as it is written. */
  value(section: string, name: string): string | null
  names(section: string): string[]
}

export function parseUnit(text: string): Unit {
  const entries: { section: string; name: string; value: string }[] = []
  let section = ''
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    let line = lines[index] ?? ''
    if (/^\s*[#;]/.test(line) || line.trim() === '') continue
    // A line that ends in a backslash is continued in the next one.
    while (line.endsWith('\\')) {
      index += 1
      line = `${line.slice(0, -1)} ${lines[index] ?? ''}`
    }
    const [, header] = /^\[(.+)\]$/.exec(line.trim()) ?? []
    if (header !== undefined) {
      section = header
      continue
    }
    const at = line.indexOf('=')
    if (at < 1) throw new Error(`Missing "=": ${line}`)
    entries.push({ section, name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() })
  }
  return {
    value: (wanted, name) =>
      entries.findLast((entry) => entry.section === wanted && entry.name === name)?.value ?? null,
    names: (wanted) => entries.filter((entry) => entry.section === wanted).map(({ name }) => name),
  }
}

/** Splits into words and removes quotes and C escapes: `extract_first_word` with UNQUOTE and CUNESCAPE. */
function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\') {
      at += 1
      const escaped = { n: '\n', t: '\t', s: ' ', '\\': '\\', '"': '"', "'": "'" }[text[at] ?? '']
      if (escaped === undefined) throw new Error(`Invalid escape: \\${text[at]}`)
      word = (word ?? '') + escaped
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== '') throw new Error('Unbalanced quotes')
  return word === null ? words : [...words, word]
}

/** Specifiers: only the one for a percent sign is known here. */
function expandSpecifiers(text: string): string {
  return text.replaceAll(/%(.?)/g, (_, letter: string) => {
    if (letter !== '%') throw new Error(`Specifier %${letter}`)
    return '%'
  })
}

/** A dollar sign stands for a variable; two stand for one. */
function expandVariables(text: string): string {
  return text.replaceAll(/\$(.?)/g, (_, next: string) => {
    if (next !== '$') throw new Error(`Variable $${next}`)
    return '$'
  })
}

/** The program and its arguments. Variables are replaced in the arguments only. */
export function readCommand(value: string): string[] {
  const [program = '', ...words] = splitWords(value).map(expandSpecifiers)
  // `string_is_safe` of systemd, which it demands of the path of a program.
  if (!program.startsWith('/') || /["'\\]/.test(program)) throw new Error(`Executable ${program}`)
  return [program, ...words.map(expandVariables)]
}

export function readEnvironment(value: string): Record<string, string> {
  return Object.fromEntries(
    splitWords(value).map((word) => {
      const text = expandSpecifiers(word)
      return [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]
    }),
  )
}

/** A folder to the end of its line, without quotes or escapes. */
export function readDirectory(value: string): string {
  return simplifyPath(expandSpecifiers(value))
}

/** `path_simplify` of systemd: slashes that repeat, and one at the end, mean nothing. */
export function simplifyPath(path: string): string {
  return path.replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, '')
}

/** A path that is a glob; here one without wildcards. */
export function readGlob(value: string): string {
  const text = expandSpecifiers(value.replace(/^-/, ''))
  if (/(?<!\\)(?:\\\\)*[*?[]/.test(text)) throw new Error(`Wildcard in ${text}`)
  return text.replaceAll(/\\(.)/g, '$1')
}

/** `load_env_file` of systemd, for values in double quotes and plain ones. */
export function readEnvironmentFile(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  const assignment = /^(?:[#;].*|([A-Za-z_]\w*)=(?:"((?:[^"\\]|\\[^])*)"|([^"'\n]*)))$/gm
  for (const [, name, quoted, plain] of text.matchAll(assignment)) {
    if (name !== undefined)
      found[name] = quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll(/\\(["\\`$])/g, '$1')
  }
  return found
}
