/**
 * The environment file of the service, in the home: the only place where `service install` writes secrets. The syntax is the one that
 * systemd and sh read alike: NAME="value", with a backslash before quote, backslash, dollar sign and backtick.
 */

import { CHECKSUM_LINE, sealOf, sealText } from './service-mark.js'

export const ENVIRONMENT_FILE = 'service.env'

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** In the service file already; a second value would contradict it. */
const RESERVED: ReadonlySet<string> = new Set(['PATH', 'HOME', 'SIGNALBOX_HOME'])

/** Why a variable cannot be in the file, or null. */
export function problemOfVariable(name: string, value: string | undefined): string | null {
  if (!NAME.test(name)) return `"${name}" is not the name of a variable.`
  if (RESERVED.has(name)) return `${name} is set by the service itself.`
  if (value === undefined) return `${name} is not set here. Set it, then run this again.`
  // systemd ignores such a value, without the daemon noticing.
  // oxlint-disable-next-line no-control-regex -- they are what it looks for.
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(value)) return `The value of ${name} has control characters.`
  return null
}

/** The text with these variables set. Other lines stay as they are, and so does the fact that a user has edited it. */
export function withVariables(before: string | null, variables: Readonly<Record<string, string>>): string {
  const text = before ?? HEADER
  const isEdited = before !== null && sealOf(before) !== 'sealed'
  const kept = assignmentsOf(text)
    .filter(({ name }) => name in variables)
    .toReversed()
    .reduce((left, { start, end }) => left.slice(0, start) + left.slice(end), text)
  const added = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}\n`)
  const whole = `${kept}${kept.endsWith('\n') ? '' : '\n'}${added.join('')}`
  return isEdited ? whole : sealText(whole.replace(SEALED, CHECKSUM_LINE))
}

/** Names of the variables in a file, without their values. */
export function variableNames(text: string): string[] {
  return [...new Set(assignmentsOf(text).map(({ name }) => name))]
}

const HEADER = `# Environment of the Signalbox service. Keep it readable for you only.
# Add variables with "signalbox service install --env NAME", or here: NAME="value".
# ${CHECKSUM_LINE}
`
const SEALED = /signalbox-checksum: [0-9a-f]{64}/

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`
}

interface Assignment {
  name: string
  start: number
  end: number
}

/** A value goes to the end of its line, unless the end is quoted or escaped. */
function assignmentsOf(text: string): Assignment[] {
  const found: Assignment[] = []
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at)
    const [, name] = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=/.exec(text.slice(at, end)) ?? []
    if (name !== undefined) found.push({ name, start: at, end })
    at = end
  }
  return found
}

function endOfLine(text: string, start: number): number {
  const isComment = /[#;]/.test(text.slice(start).trimStart()[0] ?? '')
  let quote = ''
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\n' && quote === '') return at + 1
    if (isComment) continue
    if (character === '\\' && quote !== "'") at += 1
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (character === quote) quote = ''
  }
  return text.length
}
