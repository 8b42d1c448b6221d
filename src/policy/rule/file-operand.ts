/**
 * Programs whose operands are nothing but files that they change, one by one. A grant for such a call covers other files as well; of
 * every other program it covers the very words. Programs that delete are left out: what is gone was never named to the user.
 */

export interface FileCommand {
  /** The program, its options in their order, and the operands that are no files. */
  fixed: readonly string[]
  files: readonly string[]
  /** It makes folders, so an operand may be one. */
  makesFolders: boolean
}

interface Row {
  /** Options without a value that only change how the files are changed. None of them goes into folders. */
  letters: string
  long?: readonly string[]
  /** How many operands come before the files: a mode, a script. */
  texts?: number
  /** Without this option its operands are something else. */
  needs?: string
  makesFolders?: true
  /** It expands patterns in its operands itself, so that one of them may name any file. */
  takesPatterns?: true
}

const ROWS: Readonly<Record<string, Row>> = {
  touch: { letters: 'acm', long: ['no-create'] },
  mkdir: { letters: 'pv', long: ['parents', 'verbose'], makesFolders: true },
  cp: { letters: 'finpuv', long: ['force', 'no-clobber', 'update', 'verbose'] },
  mv: { letters: 'finuv', long: ['force', 'no-clobber', 'update', 'verbose'] },
  chmod: { letters: 'cfv', long: ['changes', 'quiet', 'verbose'], texts: 1 },
  sed: { letters: 'Einrsz', long: ['in-place', 'regexp-extended', 'quiet', 'silent'], texts: 1, needs: 'i' },
  dos2unix: { letters: '' },
  unix2dos: { letters: '' },
  'git add': { letters: 'Nv', long: ['intent-to-add', 'verbose'], takesPatterns: true },
}

/** Null for a program that is not listed, or with an option that is not. */
export function readFileCommand(words: readonly string[]): FileCommand | null {
  const [first = ''] = words
  const program = first === 'git' ? words.slice(0, 2) : [first]
  const name = program.join(' ')
  const row = Object.hasOwn(ROWS, name) ? ROWS[name] : undefined
  if (row === undefined) return null
  const rest = words.slice(program.length)
  const end = rest.indexOf('--')
  const isOption = (word: string, at: number) => (end === -1 || at <= end) && word.startsWith('-')
  const options = rest.filter(isOption)
  const operands = rest.filter((word, at) => !isOption(word, at))
  const { letters, long = [], texts = 0, needs, makesFolders = false, takesPatterns = false } = row
  const isKnown = (option: string) =>
    option === '--' ||
    (option.startsWith('--')
      ? long.includes(option.slice(2))
      : option.length > 1 &&
        option
          .slice(1)
          .split('')
          .every((letter) => letters.includes(letter)))
  if (!options.every(isKnown) || operands.length <= texts) return null
  if (needs !== undefined && !isGiven(needs, options, long)) return null
  if (takesPatterns && operands.some((operand) => PATTERN.test(operand))) return null
  return {
    fixed: [...program, ...options, ...operands.slice(0, texts)],
    files: operands.slice(texts),
    makesFolders,
  }
}

/** A glob, or pathspec magic such as `:/` and `:(glob)**`. */
const PATTERN = /^:|[*?[\]\\]/

/** `-i`, `-Ei`, or the long name for it, which stands first in its row. Letters behind it are its value: never `-iE`. */
function isGiven(letter: string, options: readonly string[], [name]: readonly string[]): boolean {
  const given = options.filter((option) =>
    option.startsWith('--') ? option === `--${name}` : option.includes(letter),
  )
  return given.length > 0 && given.every((option) => option.startsWith('--') || option.endsWith(letter))
}
