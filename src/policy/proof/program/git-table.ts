/** git commands that only read, and their listed options. */

import type { Kind } from '../option.js'

const DIFF = `-p -u -s -U:number -z -B[word] -M[word] -C[word] -D -S:text -G:text -R -a -b -w -W --patch --no-patch --unified=number
  --raw --patch-with-raw --indent-heuristic --minimal --patience --histogram --diff-algorithm=word --stat[=word] --numstat --shortstat
  --dirstat[=word] --summary --patch-with-stat --name-only --name-status --color[=word] --no-color --color-moved[=word]
  --word-diff[=word] --word-diff-regex=text --color-words[=text] --no-renames --check --full-index --binary --abbrev[=number]
  --find-renames[=word] --find-copies[=word] --diff-filter=word --pickaxe-all --pickaxe-regex --text --ignore-space-at-eol
  --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --inter-hunk-context=number
  --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules[=word]
  --src-prefix=text --dst-prefix=text --no-prefix --compact-summary --stat-width=number --no-color-moved`
const LOG = `-n:number -# -i -E -F -P -g -c -m -L:lines --oneline --graph --all --decorate[=word] --no-decorate --follow --since=text
  --after=text --until=text --before=text --author=text --committer=text --grep=text --regexp-ignore-case --invert-grep
  --all-match --extended-regexp --fixed-strings --perl-regexp --max-count=number --skip=number --reverse --merges --no-merges
  --min-parents=number --max-parents=number --first-parent --format=format --pretty[=format] --abbrev-commit
  --no-abbrev-commit --date=text --date-order --topo-order --author-date-order --branches[=text] --tags[=text]
  --remotes[=text] --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --boundary
  --simplify-by-decoration --simplify-merges --full-history --dense --sparse --ancestry-path --walk-reflogs --source
  --relative-date --parents --children --no-walk --cc --not --glob=text --exclude=text --mailmap
  --use-mailmap --no-mailmap --log-size --show-pulls --encoding=word --clear-decorations --decorate-refs=text
  --decorate-refs-exclude=text --no-notes`
const REFS = `--contains --no-contains --merged --no-merged --points-at --sort=text --format=format --column[=word] --no-column
  --color[=word] --no-color`

export interface GitRow {
  options: string
  /** The kind of the operands; without it there are none. */
  operands?: Kind
  /** Operands are accepted only with one of these options. */
  needs?: readonly string[]
  /** The maximum number of operands. */
  most?: number
  /** Its paths are read, not only listed. */
  hasContent?: boolean
  /**
   * When it prints content of files that it does not name: only with options for patches, or unless the output is a
   * summary.
   */
  shows?: 'patches' | 'changes'
}

/** Of `DIFF`: with one of these, and only options listed here or in `SILENT`, no content is printed. */
export const SUMMARIES: ReadonlySet<string> = new Set(
  '-s --no-patch --stat --numstat --shortstat --dirstat --summary --compact-summary --name-only --name-status --raw --quiet'.split(
    ' ',
  ),
)
/** Options that change the format of commits, not the selection. */
export const SHOWING: ReadonlySet<string> = new Set([
  ...SUMMARIES,
  ...`-p -u -U -# -n -w -b -M --patch --unified --max-count --oneline --format --pretty --abbrev --abbrev-commit --no-abbrev-commit --date
  --decorate --no-decorate --color --no-color --word-diff --patch-with-stat --function-context -W --no-renames --minimal
  --patience --histogram --no-ext-diff --no-textconv`.split(/\s+/),
])
/** Options that show no content themselves. A search (`-S`, `-G`) is not one: its answer shows what a file contains. */
export const SILENT: ReadonlySet<string> = new Set([
  ...SUMMARIES,
  ...`-z -M -C -B -D -R -a -b -w --exit-code --abbrev --no-renames --find-renames --find-copies --diff-filter --pickaxe-all
  --pickaxe-regex --color --no-color --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines
  --ignore-cr-at-eol --ignore-submodules --stat-width --no-ext-diff --no-textconv --minimal --patience --histogram
  --diff-algorithm --indent-heuristic --full-index --text --cached --staged --merge-base -r -t --root --no-commit-id
  --include-untracked`.split(/\s+/),
  ...namesIn(LOG).filter((name) => !/^(?:-c|-m|-L|--cc)$/.test(name)),
])

function namesIn(options: string): string[] {
  return options.split(/\s+/).map((token) => /^-+[^-:[=][^:[=]*|^-#/.exec(token)?.[0] ?? '')
}

const LIST = ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']

export const GIT: Readonly<Record<string, GitRow>> = {
  status: {
    options: `-s -b -z -v -u[word] --short --branch --porcelain[=word] --long --untracked-files[=word] --ignored[=word]
      --column[=word] --no-column --show-stash --ahead-behind --no-ahead-behind --renames --no-renames
      --ignore-submodules[=word] --verbose`,
    operands: 'pathspec',
  },
  log: { options: `${LOG} ${DIFF}`, operands: 'revision', hasContent: true, shows: 'patches' },
  whatchanged: {
    options: `${LOG} ${DIFF}`,
    operands: 'revision',
    hasContent: true,
    shows: 'patches',
  },
  show: { options: `${LOG} ${DIFF}`, operands: 'revision', hasContent: true, shows: 'changes' },
  diff: {
    options: `${DIFF} --cached --staged --merge-base`,
    operands: 'revision',
    hasContent: true,
    shows: 'changes',
  },
  'diff-tree': {
    options: `${DIFF} -r -t -m -c --root --no-commit-id --cc`,
    operands: 'revision',
    hasContent: true,
    shows: 'patches',
  },
  'rev-list': {
    options: `${LOG} --count --objects-edge --header --timestamp --max-age=number`,
    operands: 'revision',
  },
  shortlog: {
    options: `${LOG} -s -n -e --summary --numbered --email --group=text`,
    operands: 'revision',
  },
  branch: {
    options: `-a -r -v -i -l --all --remotes --verbose --list --show-current --abbrev[=number] --ignore-case ${REFS}`,
    operands: 'text',
    needs: LIST,
  },
  tag: {
    options: `-l -n[number] -i --list --ignore-case ${REFS}`,
    operands: 'text',
    needs: [...LIST, '-l', '-n'],
  },
  blame: {
    options: `-L:text -l -s -e -w -f -n -p -t -c -M[word] -C[word] --porcelain --line-porcelain --incremental --since=text --date=text
      --show-email --show-name --show-number --root --abbrev=number --ignore-rev=word --color-lines --color-by-age --first-parent
      --show-stats`,
    operands: 'revision',
    hasContent: true,
  },
  'ls-files': {
    options: `-c -d -m -o -i -s -u -k -z -t -v -x:text --exclude=text --exclude-standard --others --cached --modified --deleted
      --ignored --stage --unmerged --error-unmatch --full-name --abbrev[=number] --directory --eol --killed --deduplicate
      --format=text --no-empty-directory`,
    operands: 'pathspec',
  },
  'ls-tree': {
    options:
      '-d -r -t -l -z --long --name-only --name-status --full-name --full-tree --abbrev[=number] --object-only',
    operands: 'revision',
  },
  'rev-parse': {
    options: `-q --show-toplevel --abbrev-ref[=word] --short[=number] --verify --quiet --git-dir --git-common-dir --show-prefix
      --show-cdup --is-inside-work-tree --is-bare-repository --is-inside-git-dir --is-shallow-repository --symbolic
      --symbolic-full-name --all --branches --tags --remotes --absolute-git-dir --show-superproject-working-tree`,
    operands: 'revision',
  },
  help: { options: '-a -g --all --guides' },
  var: { options: '', operands: 'word', most: 1 },
  describe: {
    options: `--tags --all --always --long --abbrev=number --dirty[=word] --exact-match --match=text --exclude=text --contains
      --first-parent --candidates=number`,
    operands: 'revision',
  },
  'cat-file': {
    options: '-t -s -e -p',
    operands: 'revision',
    most: 2,
    hasContent: true,
  },
  grep: {
    options: `-n -i -l -L -w -c -E -F -G -P -v -h -H -o -q -I -a -p -W -z -e:text -A:number -B:number -C:number -m:number -# --heading --break
      --cached --count --name-only --files-with-matches --files-without-match --line-number --column --ignore-case --word-regexp
      --extended-regexp --fixed-strings --perl-regexp --basic-regexp --invert-match --only-matching --quiet --and --or --not
      --all-match --max-depth=number --max-count=number --color[=word] --no-color --full-name --show-function
      --function-context --after-context=number --before-context=number --context=number --text --null`,
    operands: 'revision',
    hasContent: true,
  },
  'merge-base': {
    options: '-a --all --is-ancestor --fork-point --octopus --independent',
    operands: 'revision',
  },
  'name-rev': {
    options: '--name-only --tags --all --always --no-undefined --refs=text --exclude=text',
    operands: 'revision',
  },
  'show-ref': {
    options: '-d -s -q --heads --tags --head --dereference --hash[=number] --verify --abbrev[=number]',
    operands: 'text',
  },
  'for-each-ref': {
    options: `${REFS} --count=number --ignore-case --omit-empty`,
    operands: 'text',
  },
  'symbolic-ref': {
    options: '-q --short --quiet',
    operands: 'revision',
    most: 1,
  },
  'count-objects': { options: '-v -H --verbose --human-readable' },
  'check-ignore': {
    options: '-v -n -q --verbose --non-matching --quiet --no-index',
    operands: 'pathspec',
  },
  cherry: { options: '-v --abbrev[=number]', operands: 'revision' },
  'range-diff': { options: DIFF, operands: 'revision', hasContent: true, shows: 'changes' },
  'bisect log': { options: '' },
  'notes list': { options: '', operands: 'revision', most: 1 },
  version: { options: '--build-options' },
  remote: { options: '-v --verbose' },
  'remote get-url': { options: '--push --all', operands: 'word', most: 1 },
  'stash list': { options: `${LOG} ${DIFF}`, hasContent: true, shows: 'patches' },
  'stash show': {
    options: `${DIFF} --include-untracked`,
    operands: 'revision',
    most: 1,
    hasContent: true,
    shows: 'changes',
  },
  'worktree list': { options: '-v -z --porcelain --verbose' },
  reflog: { options: `${LOG} ${DIFF}`, operands: 'revision', hasContent: true, shows: 'patches' },
  'reflog show': {
    options: `${LOG} ${DIFF}`,
    operands: 'revision',
    hasContent: true,
    shows: 'patches',
  },
  config: {
    options: `--get --get-all --get-regexp --list -l --global --local --system --bool --int --show-origin --show-scope --type=word
      --name-only --null -z --no-includes`,
    operands: 'word',
    most: 1,
  },
}
