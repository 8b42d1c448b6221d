/**
 * File mentions: Claude Code replaces `@path` in a message, and in the arguments of a skill, with the content of the
 * file, and reads it without a tool call. The path (2.1.325) is the word after an `@` that begins a word or follows
 * 。、？！, without trailing characters that are no ASCII letter, digit or `_`, and without `#…`; or the text in double
 * quotes. Over-approximates: every reading of some version counts, an ambiguous one is reported as unclear, and a text
 * that is no mention costs nothing.
 */

export interface Mentions {
  /** Each mention in every way that it may be read. */
  paths: string[]
  /** There may be more: too long, too many, or a spelling that versions may read in different ways. */
  isUnclear: boolean
}

/** As long as the system takes. */
const MAX_PATH = 4_096
/** In one word. */
const MAX_SIGNS = 16
const MAX_ENDS = 16
const MAX_PATHS = 2_000

const QUOTED_MENTION = /@(?:"([^"]*)"|'([^']*)')/g
const QUOTED = /"([^"]*)"|'([^']*)'/g
const WORD = /\S+/g
/** Paths go on over these; with any other character a mention may end. */
const NO_END = /[\w./~-]/
/** `@server:uri` is a resource of an MCP server, unless a line of a file is meant: `@README.md:12`. */
const RESOURCE = /^[\w.-]{1,200}:(?!\d{1,9}(?::\d{1,9})?\W{0,9}$)\S/
/** Invisible characters: some are removed before a text is read. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu

export function mentionsIn(text: string): Mentions {
  const reader = new Reader()
  if (!text.includes('@')) return reader.result
  for (const [, double, single] of text.matchAll(QUOTED_MENTION)) reader.addQuoted(double ?? single ?? '')
  for (const [word] of text.matchAll(WORD)) reader.addMentions(word)
  return reader.result
}

/** Every word of a text as a path: a skill may have `@$1` in it. */
export function wordsAsPaths(text: string): Mentions {
  const reader = new Reader()
  for (const [, double, single] of text.matchAll(QUOTED)) reader.addQuoted(double ?? single ?? '')
  for (const [word] of text.matchAll(WORD)) {
    reader.addWord(word)
    reader.addMentions(word)
  }
  return reader.result
}

class Reader {
  readonly #paths = new Set<string>()
  #isUnclear = false

  get result(): Mentions {
    return { paths: [...this.#paths], isUnclear: this.#isUnclear }
  }

  addMentions(word: string): void {
    let signs = 0
    for (let at = word.indexOf('@'); at >= 0; at = word.indexOf('@', at + 1)) {
      signs += 1
      if (signs > MAX_SIGNS) return this.#giveUp()
      const tail = word.slice(at + 1)
      // An address of mail or of a repository is no mention in any version.
      const isBehindName = /[\w.+-]/.test(word[at - 1] ?? ' ')
      if (!isBehindName && RESOURCE.test(tail)) this.#giveUp()
      this.addWord(tail)
    }
  }

  /** Up to every character that may end it. */
  addWord(word: string): void {
    if (word.length > MAX_PATH) return this.#giveUp()
    // A space that belongs to the name may follow.
    if (word.endsWith('\\')) this.#giveUp()
    const bare = word.replace(/^["'@]+/, '')
    this.#add(bare)
    let ends = 0
    for (let end = 1; end < bare.length; end += 1) {
      if (NO_END.test(bare[end] ?? '')) continue
      ends += 1
      if (ends > MAX_ENDS) return this.#giveUp()
      this.#add(bare.slice(0, end))
    }
  }

  addQuoted(content: string): void {
    if (content.length > MAX_PATH) return this.#giveUp()
    this.#add(content)
    for (const sign of ['#', ':'])
      if (content.includes(sign)) this.#add(content.slice(0, content.indexOf(sign)))
  }

  #add(path: string): void {
    for (const spelled of [path, path.trim(), path.replaceAll(UNSEEN, '')])
      for (const form of [spelled, withoutTail(spelled), spelled.normalize('NFC'), spelled.normalize('NFD')])
        if (form !== '') this.#paths.add(form)
    if (this.#paths.size > MAX_PATHS) this.#giveUp()
  }

  #giveUp(): void {
    this.#isUnclear = true
  }
}

/** Text after the last ASCII letter or digit belongs to the sentence: `@a.ts를`, `@a.ts).` */
function withoutTail(path: string): string {
  let end = path.length
  while (end > 0 && !/\w/.test(path[end - 1] ?? '')) end -= 1
  return path.slice(0, end)
}
