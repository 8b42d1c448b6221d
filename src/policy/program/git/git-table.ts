/** The commands of git that only read, with every option that only reads. */

import type { Spec } from '../spec.js'
import { unindexedTree } from '../system/recursion.js'

const DIFF = `-p -u -s -U: -z -B? -M? -C? -D -l: -R -a -b -w -W -I: -S: -G: -O:read -X? --patch --no-patch --unified:
  --output:write --output-indicator-new: --output-indicator-old: --output-indicator-context: --raw --patch-with-raw
  --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored: --diff-algorithm: --stat?
  --stat-width: --stat-name-width: --stat-count: --stat-graph-width: --compact-summary --numstat --shortstat
  --dirstat? --cumulative --dirstat-by-file? --summary --patch-with-stat --name-only --name-status
  --color? --no-color --color-moved? --no-color-moved --color-moved-ws: --word-diff? --word-diff-regex: --color-words?
  --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight: --full-index --binary --abbrev?
  --break-rewrites? --find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter:
  --find-object: --pickaxe-all --pickaxe-regex --skip-to: --rotate-to: --relative? --no-relative --text
  --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines
  --ignore-matching-lines: --inter-hunk-context: --function-context --exit-code --quiet --ext-diff! --no-ext-diff
  --textconv! --no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --default-prefix
  --line-prefix: --ita-invisible-in-index --ita-visible-in-index --cached --staged --merge-base --no-index --base
  --ours --theirs -0123 -c --cc --combined-all-paths -m -t -r --root --diff-merges: --no-diff-merges --remerge-diff
  --dd`

const LOG = `+number ${DIFF} -n: -g -i -E -F -P -L:lines -h --follow --no-decorate --decorate? --decorate-refs:
  --decorate-refs-exclude: --clear-decorations --source --mailmap --no-mailmap --use-mailmap --full-diff --log-size
  --max-count: --skip: --since: --after: --until: --before: --since-as-filter: --author: --committer: --grep-reflog:
  --grep: --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings
  --perl-regexp --remove-empty --merges --no-merges --min-parents: --max-parents: --no-min-parents --no-max-parents
  --first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob: --exclude:
  --exclude-hidden: --reflog --alternate-refs --single-worktree --ignore-missing --bisect --stdin! --cherry-mark
  --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary --simplify-by-decoration
  --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order
  --topo-order --reverse --no-walk? --do-walk --pretty? --format: --abbrev-commit --no-abbrev-commit --oneline
  --encoding: --expand-tabs? --no-expand-tabs --notes? --no-notes --show-notes? --standard-notes --no-standard-notes
  --relative-date --date: --parents --children --left-right --graph --no-graph --show-linear-break? --count
  --timestamp --header --objects --objects-edge --in-commit-order --unpacked --disk-usage? --filter: --no-filter
  --missing: --progress? --quiet -v --show-signature!`

const LIST = `--sort: --format: --contains? --no-contains? --merged? --no-merged? --points-at? --color? --no-color
  --column? --no-column -i --ignore-case`

/** `revision`: a revision, `revision:path`, or a path. */
export const GIT_READERS: Readonly<Record<string, Spec>> = {
  status: {
    options: `-s -b -v -u? -z -M? --short --branch --show-stash --porcelain? --long --verbose --untracked-files?
      --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames
      --find-renames?`,
    operands: 'look*',
    prints: 'facts',
  },
  log: { options: LOG, operands: 'read*' },
  show: { options: LOG, operands: 'read*' },
  whatchanged: { options: LOG, operands: 'read*' },
  reflog: { options: LOG, operands: 'read*' },
  shortlog: {
    options: `${LOG} -n -e -w? --email --summary --numbered --group: --committer`,
    operands: 'read*',
  },
  'rev-list': { options: LOG, operands: 'read*' },
  diff: { options: DIFF, operands: 'read*', recursion: unindexedTree },
  'diff-tree': { options: `${DIFF} --stdin! --always --no-commit-id --pretty? --format:`, operands: 'read*' },
  'diff-index': { options: DIFF, operands: 'read*' },
  'diff-files': { options: DIFF, operands: 'read*' },
  'range-diff': {
    options: `${DIFF} --creation-factor: --left-only --right-only --notes? --no-notes --no-dual-color`,
    operands: 'read*',
  },
  blame: {
    options: `-b -c -C? -e -f -F? -h -k -l -L: -M? -n -p -s -S:read -t -w --root --show-stats --show-name --show-number
      --show-email --porcelain --line-porcelain --incremental --encoding: --contents:read --date: --since: --first-parent
      --reverse --abbrev: --score-debug --color-lines --color-by-age --progress --no-progress --ignore-rev:
      --ignore-revs-file:read --minimal`,
    operands: 'read*',
  },
  annotate: { options: '-l -e -t -f -n -s -w -L: --date:', operands: 'read*' },
  grep: {
    options: `+number -aIirRvwEGPFnlLOzchHopWqe: -f:read -A: -B: -C: -m: -e: --cached --untracked --no-index --no-exclude-standard
      --exclude-standard --text --ignore-case --no-textconv --max-depth: --recursive --no-recursive
      --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings
      --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count
      --color? --no-color --break --heading --show-function --context: --after-context: --before-context:
      --function-context --max-count: --threads: --and --or --not --all-match --quiet --regexp: -O!
      --open-files-in-pager! --textconv! --file:read`,
    operands: 'text read*',
    instead: ['e', 'f', 'regexp', 'file'],
    recursion: unindexedTree,
  },
  'ls-files': {
    options: `-c -d -m -o -i -s -t -u -v -f -k -z -x: -X:read --cached --deleted --modified --others --ignored --stage
      --directory --no-empty-directory --unmerged --killed --resolve-undo --exclude: --exclude-from:read
      --exclude-per-directory: --exclude-standard --error-unmatch --with-tree: --full-name
      --abbrev? --debug --eol --deduplicate --sparse --format:`,
    operands: 'look*',
    prints: 'facts',
  },
  'ls-tree': {
    options:
      '-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:',
    operands: 'text look*',
    prints: 'facts',
  },
  'cat-file': {
    options: '-t -s -e -p --batch-check? --batch-all-objects --follow-symlinks --unordered --buffer',
    operands: 'read*',
  },
  'rev-parse': {
    options: `-q --verify --quiet --sq --short? --not --abbrev-ref? --symbolic --symbolic-full-name --all --branches?
      --tags? --remotes? --glob: --exclude: --disambiguate: --local-env-vars --path-format: --git-dir --git-common-dir
      --absolute-git-dir --resolve-git-dir: --git-path: --show-toplevel --show-superproject-working-tree
      --shared-index-path --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository
      --show-cdup --show-prefix --show-object-format? --since: --until: --after: --before: --default: --prefix:
      --revs-only --no-revs --flags --no-flags --sq-quote --show-ref-format`,
    operands: 'text*',
    prints: 'facts',
  },
  // Other operands of these open a manual page in a pager, or print the command that a variable names.
  help: { options: '-ag --all --guides --no-aliases --no-external-commands', prints: 'facts' },
  var: { options: '', operands: 'text*', prints: 'facts' },
  describe: {
    options: `--dirty? --broken? --all --tags --contains --abbrev: --candidates: --exact-match --debug --long --match:
      --exclude: --always --first-parent`,
    operands: 'text*',
    prints: 'facts',
  },
  'name-rev': {
    options: '--tags --refs: --exclude: --all --name-only --no-undefined --always',
    operands: 'text*',
  },
  'show-ref': {
    options:
      '-d -h -q -s? --head --tags --heads --branches --dereference --hash? --verify --abbrev? --quiet --exists',
    operands: 'text*',
  },
  'for-each-ref': {
    options: `${LIST} --count: --shell --perl --python --tcl --stdin --omit-empty --exclude:`,
    operands: 'text*',
  },
  'merge-base': { options: '-a --all --octopus --is-ancestor --independent --fork-point', operands: 'text*' },
  cherry: { options: '-v --abbrev?', operands: 'text*' },
  'count-objects': { options: '-v -H --verbose --human-readable', operands: '' },
  'check-ignore': {
    options: '-q -v -z -n --quiet --verbose --stdin --non-matching --no-index',
    operands: 'look*',
  },
  'check-attr': { options: '-a -z --all --stdin --cached --source:', operands: 'text*' },
  'show-branch': {
    options:
      '-r -a --remotes --all --current --topo-order --date-order --sparse --more? --list --independent --merge-base --no-name --sha1-name --topics --color? --no-color',
    operands: 'text*',
  },
  version: { options: '--build-options', operands: '' },
}

export const BRANCH: Spec = {
  options: `-a -r -v -vv -l -q --all --remotes --list --verbose --show-current --abbrev? --no-abbrev --quiet ${LIST}`,
  operands: 'text*',
  prints: 'facts',
}

export const TAG: Spec = { options: `-l -n? --list ${LIST}`, operands: 'text*', prints: 'facts' }
