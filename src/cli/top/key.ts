/** Keys from the bytes of a terminal. A paste is one key of its own, so that pasted text never acts as commands. */

export interface Key {
  /** A character, or the name of a key such as `enter`. */
  name: string
  /** The text of a paste. */
  text?: string
}

export const PASTE_ON = '\u001b[?2004h'
export const PASTE_OFF = '\u001b[?2004l'
const PASTE_START = '\u001b[200~'
const PASTE_END = '\u001b[201~'
const MAX_PASTE = 10_000

const NAMED: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u0003': 'ctrl-c',
  '\u000c': 'ctrl-l',
  '\u001a': 'ctrl-z',
  '\u0008': 'backspace',
  '\u007f': 'backspace',
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
}

// oxlint-disable-next-line no-control-regex -- sequences of keys start with it.
const SEQUENCE = /^\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])/

export class KeyReader {
  /** Null: not within a paste. */
  #paste: string | null = null

  push(chunk: string): Key[] {
    const keys: Key[] = []
    let rest = chunk
    while (rest !== '') {
      if (this.#paste !== null) {
        const end = rest.indexOf(PASTE_END)
        this.#paste = (this.#paste + (end < 0 ? rest : rest.slice(0, end))).slice(0, MAX_PASTE)
        if (end < 0) return keys
        keys.push({ name: 'paste', text: this.#paste })
        this.#paste = null
        rest = rest.slice(end + PASTE_END.length)
      } else if (rest.startsWith(PASTE_START)) {
        this.#paste = ''
        rest = rest.slice(PASTE_START.length)
      } else {
        const [first = ''] = rest
        const [text = first] = SEQUENCE.exec(rest) ?? []
        // A sequence that is not known is a key without a meaning, not the characters that it consists of.
        keys.push({ name: NAMED[text] ?? (text.length > first.length ? 'unknown' : text) })
        rest = rest.slice(text.length)
      }
    }
    return keys
  }
}
