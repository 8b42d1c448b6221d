/**
 * Redacts JSON. The text as a whole is redacted first: that is fast, and a name in one string with its value in the next is
 * recognised. Where a secret contains quotes or escapes the result may be no JSON any more; then each string is redacted alone.
 */

type Redact = (text: string) => string
type RedactInSlices = (text: string) => Promise<string>

/** The same value without the secrets in its texts. */
export function redactJson<Value>(value: Value, redact: Redact): Value {
  const json = JSON.stringify(value)
  const redacted = redact(json)
  if (redacted === json) return value
  const parsed = parse(redacted)
  // The value, but for some of its texts.
  return (parsed === undefined ? mapStrings(value, redact) : parsed) as Value
}

export async function redactJsonInSlices<Value>(value: Value, redact: RedactInSlices): Promise<Value> {
  const json = JSON.stringify(value)
  const redacted = await redact(json)
  if (redacted === json) return value
  const parsed = parse(redacted)
  return (parsed === undefined ? await mapStringsInSlices(value, redact) : parsed) as Value
}

/** For a reply that is JSON already, or a text that never was. */
export async function redactJsonText(text: string, redact: RedactInSlices): Promise<string> {
  const redacted = await redact(text)
  if (redacted === text || parse(redacted) !== undefined) return redacted
  const value = parse(text)
  return value === undefined ? redacted : JSON.stringify(await mapStringsInSlices(value, redact))
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function mapStrings(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), mapStrings(inner, redact)]),
  )
}

async function mapStringsInSlices(value: unknown, redact: RedactInSlices): Promise<unknown> {
  const texts = new Map<string, string>()
  for (const text of stringsIn(value)) if (!texts.has(text)) texts.set(text, await redact(text))
  return mapStrings(value, (text) => texts.get(text) ?? '')
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      yield name
      yield* stringsIn(inner)
    }
}
