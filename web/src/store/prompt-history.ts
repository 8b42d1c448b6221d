/** Prompts that were sent from this browser, for the ↑ key, stored in localStorage until the user logs out. */

interface SentPrompt {
  /** The user: several may log in at this browser, one after the other. */
  who: string
  sessionId: string
  text: string
}

type Place = Pick<SentPrompt, 'who' | 'sessionId'>

const KEY = 'signalbox.prompts'
const MAX_PROMPTS = 100
/** A longer prompt is not kept: it is rarely sent again, and the storage is small. */
const MAX_LENGTH = 5_000

export function rememberPrompt({ who, sessionId }: Place, text: string): void {
  if (text.trim() === '' || text.length > MAX_LENGTH) return
  const isSame = (prompt: SentPrompt) =>
    prompt.text === text && prompt.sessionId === sessionId && prompt.who === who
  const others = read().filter((prompt) => !isSame(prompt))
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, { who, sessionId, text }].slice(-MAX_PROMPTS)))
  } catch {
    // Storage may be full or disabled: the prompt is not offered again.
  }
}

export function forgetPrompts(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Nothing was stored either.
  }
}

/** Newest first: those of the session, `own` of them from its log, then those of other sessions. */
export function promptHistory({ who, sessionId }: Place, own: readonly string[]): string[] {
  const sent = read()
    .filter((prompt) => prompt.who === who)
    .toReversed()
  const here = sent.filter((prompt) => prompt.sessionId === sessionId).map(({ text }) => text)
  const elsewhere = sent.filter((prompt) => prompt.sessionId !== sessionId).map(({ text }) => text)
  return [...new Set([...own.toReversed(), ...here, ...elsewhere])].slice(0, MAX_PROMPTS)
}

/** The stored value may be from another version, or of another page at this address. */
function read(): SentPrompt[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isSentPrompt) : []
  } catch {
    return []
  }
}

function isSentPrompt(value: unknown): value is SentPrompt {
  if (typeof value !== 'object' || value === null) return false
  const { who, sessionId, text } = value as Partial<SentPrompt>
  return [who, sessionId, text].every((part) => typeof part === 'string')
}
