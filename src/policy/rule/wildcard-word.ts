/**
 * Limits the words that a wildcard of an allow rule may match. It matches more texts than its author expects: `*.py`
 * also matches `-cimport os#.py`, and `http://localhost*` matches `http://localhost@example.com/`.
 */

export interface RuleWord {
  /** The word of the rule, with its wildcards. */
  pattern: string
  /** The word of the command; the pattern matches it as a text. */
  word: string
  /** All words of the command. */
  words: readonly string[]
}

const WILDCARD = /[*?[]/
/** For these programs `@` in front of a word names a package; for others it may name a file of arguments. */
const PACKAGE_PROGRAMS: ReadonlySet<string> = new Set(
  'npm pnpm yarn npx pnpx bun bunx deno turbo lerna nx'.split(' '),
)
const REFSPEC_VERBS = ['push', 'fetch', 'pull']
const PATHSPEC_VERBS = ['add', 'stage', 'checkout', 'restore', 'rm', 'stash', 'reset', 'clean', 'mv']
const WEB_PROGRAMS: ReadonlySet<string> = new Set(['curl', 'wget', 'http', 'https', 'xh'])

/** Also for a wildcard that is a whole word: refuses words that would change the meaning of the whole command. */
export function keepsMeaning({ pattern, word, words }: RuleWord): boolean {
  const [program = ''] = words
  if (word.startsWith('@') && !pattern.startsWith('@') && !PACKAGE_PROGRAMS.has(program)) return false
  if (ARCHIVERS.has(program)) return keepsArchive(pattern, word, words)
  if (program !== 'git') return true
  // Git expands globs itself, and `:(…)` is magic: they reach files that the word does not name.
  if (PATHSPEC_VERBS.some((verb) => words.includes(verb)) && isPathspec(word) && word !== pattern)
    return false
  if (!REFSPEC_VERBS.some((verb) => words.includes(verb))) return true
  // `:main` deletes a branch, `x:main` pushes to another one, `+main` overwrites it.
  return count(word, ':') <= count(pattern, ':') && (!word.startsWith('+') || pattern.startsWith('+'))
}

const ARCHIVERS: ReadonlySet<string> = new Set(['tar', 'gtar', 'bsdtar'])

/** The first word of tar is a bundle of options, and an archive with a colon is on another machine. */
function keepsArchive(pattern: string, word: string, words: readonly string[]): boolean {
  if (count(word, ':') > count(pattern, ':')) return false
  return word !== words[1] || word === pattern || /^[cxtvzjJaf]+$/.test(word)
}

function isPathspec(word: string): boolean {
  return /^:|[*?[\\]/.test(word)
}

/** For a wildcard that is a part of a word. */
export function staysInWord(given: RuleWord, isOrdinary: (word: string) => boolean): boolean {
  const { pattern, word, words } = given
  const plain = pattern.replaceAll(/\\[^]/g, 'x')
  if (!WILDCARD.test(plain)) return true
  const prefix = pattern.slice(0, plain.search(/[*?[{]/)).replaceAll(/\\([^])/g, '$1')
  if (/^[-+]/.test(word) && prefix[0] !== word[0]) return false
  if (/^[A-Za-z_][\w.-]*=/.test(word) && !prefix.includes('=')) return false
  if (count(word, PARENT) > count(pattern, PARENT)) return false
  if (!keepsMeaning(given) || !keepsHost(plain, word, WEB_PROGRAMS.has(words[0] ?? ''))) return false
  return isOrdinary(word) || isElsewhere(prefix)
}

/** A parent folder, as a part of a path. */
const PARENT = /(?<![^/\\=:,@])\.\.(?![^/\\=:,@])/g

function count(text: string, part: RegExp | string): number {
  return typeof part === 'string' ? text.split(part).length - 1 : [...text.matchAll(part)].length
}

/** Whether the rule itself names a place outside the workspace. */
function isElsewhere(prefix: string): boolean {
  return /^(?:\/|~|\.\.\/)/.test(prefix.slice(prefix.indexOf('=') + 1))
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** The rule must name the whole host; a wildcard behind it may match a port or a path, never more of the host. */
function keepsHost(pattern: string, word: string, isWeb: boolean): boolean {
  if (!SCHEME.test(word) && !isWeb) return true
  // Programs disagree whether a backslash ends the host: `http://localhost\@example.com`.
  if (word.includes('\\')) return false
  let authority = /^(?:[^/]*:\/\/)?([^/#]*)/.exec(pattern)?.[1] ?? ''
  while (authority.endsWith('**')) authority = authority.slice(0, -1)
  if (!/[*?[{]/.test(authority)) return true
  const host = /^([^*?[{@]+)\*$/.exec(authority)?.[1]
  const given = word.replace(SCHEME, '').split(/[/?#\\]/)[0] ?? ''
  if (host === undefined || !given.startsWith(host)) return false
  return host.includes(':')
    ? /^(?:|\d+)$/.test(given.slice(host.length)) && (host.endsWith(':') || given === host)
    : /^(?::\d+)?$/.test(given.slice(host.length))
}
