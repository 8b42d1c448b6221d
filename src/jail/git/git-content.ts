/** Commands of git that show content of files which they do not name: what these show depends on the whole history. */

import { isProtectedFile } from '../../policy/file/protected.js'

/** Commands that print commits, references and names, or the content of a file that they name. */
const NAMES_ONLY = new Set(
  `annotate blame branch check-attr check-ignore check-mailmap cherry config count-objects describe for-each-ref help
  ls-files ls-tree merge-base name-rev remote rev-list rev-parse shortlog show-branch show-ref status symbolic-ref tag var
  verify-commit verify-tag version worktree`.split(/\s+/),
)
/** They list commits, and show content only with an option. */
const LISTS = new Set(['log', 'reflog'])
const PATCH =
  /^-[a-zA-Z]*[pucLUW]|^--(?:patch|cc|unified|word-diff|color-words|function-context|binary|remerge-diff|diff-merges|combined|full-diff|textconv|ext-diff)/
const SUMMARY =
  /^--(?:stat|shortstat|numstat|name-only|name-status|summary|dirstat|quiet|no-patch|compact-summary)|^-s$/
/** Options before the command of git, with the number of words that belong to them. */
const WITH_VALUE = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
])

/** `words` are those of a simple command; one that is not git shows nothing of a history. */
export function showsHistory([program, ...words]: readonly string[]): boolean {
  if (program !== 'git') return false
  let at = 0
  while (words[at]?.startsWith('-')) at += WITH_VALUE.has(words[at] ?? '') ? 2 : 1
  const [command, ...rest] = words.slice(at)
  if (command === undefined || NAMES_ONLY.has(command)) return false
  if (command === 'stash' && rest[0] === 'list') return rest.some((word) => PATCH.test(word))
  if (LISTS.has(command)) return rest.some((word) => PATCH.test(word))
  if (rest.some((word) => PATCH.test(word))) return true
  const operands = rest.filter((word) => !word.startsWith('-'))
  if (command === 'show' && operands.length > 0 && operands.every(namesOrdinaryFile)) return false
  return !rest.some((word) => SUMMARY.test(word))
}

/** `REVISION:PATH`, with a path that is not protected. */
function namesOrdinaryFile(word: string): boolean {
  const [, path] = /^[^:]+:([^:]+)$/.exec(word) ?? []
  return path !== undefined && !isProtectedFile(`/${path}`)
}

/** Whether git is started in the folder of the shell, without options that change what it reads or runs. */
export function isPlainGit(commands: readonly (readonly string[])[]): boolean {
  return commands.every(([program = '', first = '']) => {
    if (program === 'git') return !first.startsWith('-')
    return !['cd', 'pushd', 'popd'].includes(program)
  })
}
