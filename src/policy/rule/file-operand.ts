/**
 * Programs whose operands are only files that they change, one by one. A grant for such a call covers other files as
 * well; for every other program it covers the exact words. Programs that delete are left out, because the user has not
 * seen the other files that would be lost.
 */

export interface FileCommand {
  /** The program, its options in order, and the operands that are not files. */
  fixed: readonly string[]
  files: readonly string[]
  /** It creates folders, so an operand may be a folder. */
  makesFolders: boolean
}

interface Row {
  /** Options without a value that only change how the files are changed. None of them recurses. */
  letters: string
  long?: readonly string[]
  /** The number of operands before the files: a mode, a script. */
  texts?: number
  /** Without this option its operands are not files. */
  needs?: string
  makesFolders?: true
  /** It expands patterns in its operands, so an operand may match any file. */
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

/** Null for a program or an option that is not listed. */
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

/**
 * `-i`, `-Ei`, or its long name, which comes first in the row. Letters behind it are its value, so `-iE` never counts.
 */
function isGiven(letter: string, options: readonly string[], [name]: readonly string[]): boolean {
  const given = options.filter((option) =>
    option.startsWith('--') ? option === `--${name}` : option.includes(letter),
  )
  return given.length > 0 && given.every((option) => option.startsWith('--') || option.endsWith(letter))
}
