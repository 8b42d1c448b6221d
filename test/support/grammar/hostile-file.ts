/**
 * Ordinary commands over hostile files: files that a clone may bring along, and programs that are not what
 * they seem.
 */

import { blobId } from '../range/blob-id.js'
import { MARK, marked } from '../range/canary.js'
import { HOSTILE_OPTIONS, TELLING } from './hostile-option.js'
import { type Alternatives, type Maker, words } from './maker.js'
import { TEXTS } from './word.js'

/** The protected file that is stored in the history of a trapped range. */
const STORED = blobId(marked(MARK.history))

const READERS = [
  'cat',
  'head -2',
  'wc -l',
  'sort',
  'nl',
  'rev',
  'column -t',
  'hexdump -C',
  'od -c',
  'strings',
  'tac',
  'cut -c1-9',
  'uniq',
  'fold',
  'paste',
  'xxd',
  'file',
  'jq .',
  'sed -n p',
  "awk '{print}'",
  'grep KEY',
  'md5sum',
  'base64',
  'diff README.md',
  'cmp README.md',
  'comm README.md',
  'join README.md',
  'tsort',
  'expand',
  'fmt',
  'shuf',
  'sum',
]
const FOLDERS = ['config', 'deploy', 'infra', 'certs', 'ignored', 'src', 'docs', '.']
const REVISIONS = [
  'HEAD',
  'HEAD~4',
  'v1.0.0',
  'origin/main',
  'main',
  STORED,
  STORED.slice(0, 8),
  `x-g${STORED.slice(0, 9)}`,
]

const HOSTILE: Alternatives = {
  'names that are not UTF-8': (make) =>
    make.pick([
      `${make.pick(READERS)} bytes/*`,
      `${make.pick(READERS)} bytes/*.txt`,
      `${make.pick(READERS)} bytes/good.txt`,
      `grep -${make.pick(['r', 'R', 'rl'])} KEY bytes`,
      'rg KEY bytes',
      'diff -r bytes docs',
      'cat bytes/*/outside.txt',
      `for f in bytes/*; do ${make.pick(READERS)} "$f"; done`,
    ]),
  'a repository out of files': (make) => {
    const folder = make.pick(['bare', 'vendor', 'nested', 'store', 'src'])
    const look = make.pick(['status', 'diff', 'status --short', 'ls-files -o', 'log', 'describe --always'])
    return make.pick([
      `git -C ${folder} ${look}`,
      `cd ${folder} && git ${look}`,
      `(cd ${folder}; git ${look})`,
      `for d in src ${folder}; do (cd "$d" && git ${look}); done`,
      `find ${folder} -maxdepth 0 -exec git -C {} ${look} \\;`,
    ])
  },
  'a dash': (make) => `cd dash && ${make.pick(READERS)} -`,
  'a file of arguments': (make) =>
    `${make.pick(['strings -t', 'strings -e', 'strings -n', 'strings --radix', 'file', 'cat', 'jq'])} @arguments.txt README.md`,
  'an ignore file': (make) =>
    make.pick([
      `rg ${make.pick(TEXTS)} ignored`,
      `rg -t ${make.pick(['ts', 'js', 'py'])} KEY`,
      `grep -r --exclude-dir=keys ${make.pick(TEXTS)} ignored`,
      `grep -r --exclude-dir=keys --include=${make.pick(["'*.txt'", "'prod*'"])} KEY ignored`,
      `cd ignored && rg KEY`,
    ]),
  ugrep: (make) =>
    make.pick([
      `grep KEY ${make.pick(FOLDERS)}`,
      `grep -n KEY ${make.pick(FOLDERS)} ${make.pick(FOLDERS)}`,
      `grep -${make.number(4)} ${make.pick(TEXTS)}`,
      `cat README.md | grep -${make.number(4)} ${make.pick(TEXTS)}`,
      `grep -y zzz ${make.pick(FOLDERS)}`,
      `grep --include='${make.pick(['d*/*', '*.ts', 'c*/*'])}' KEY`,
      `find ${make.pick(FOLDERS)} -type f | grep KEY`,
    ]),
  'a false comment': (make) =>
    make.pick([
      'echo <(ls)#;touch PWNED',
      'cat <(ls)#x;touch PWNED',
      'echo "$(cat <(ls)#;touch PWNED)"',
      'diff <(ls) <(ls)# && touch PWNED',
      'echo $(ls)#;touch PWNED',
      '(ls)#;touch PWNED',
    ]),
  'what git has stored': (make) => {
    const revision = make.pick(REVISIONS)
    return words(
      'git',
      make.pick([
        `grep KEY ${revision}`,
        `grep --cached KEY`,
        `grep KEY -- ${make.pick(['.', 'infra', "'*.env'", "'*.js'", '..'])}`,
        `cat-file -p ${revision}${make.pick(['', '^{}', '^{blob}', '^{object}', '^{tree}', '^{commit}'])}`,
        `cat-file blob ${revision}^{}`,
        `show ${revision}`,
        `show ${revision} -- ${make.pick(["'*.js'", 'infra', 'src', 'README.md', "':!README.md'"])}`,
        `log -p ${make.pick(['', '-1', '--all', '--follow -- README.md', "-- '*.js'", '-- infra', '-- src/app.ts'])}`,
        `diff ${revision} ${make.pick(['HEAD', 'v1.1.0', 'HEAD:README.md'])}`,
        `diff ${make.pick(['HEAD', '--cached', 'HEAD~1', 'HEAD~4:infra HEAD:src'])}`,
        'status -v',
        'stash show -p',
        'reflog show -p',
        `for-each-ref --format='%(raw)'`,
      ]),
    )
  },
  'an operator in a test': (make) =>
    make.pick([
      '[ $(cat operator.txt) ]',
      'test $(cat operator.txt)',
      'while read -r l; do [ $l ]; done < operator.txt',
      'x=$(cat operator.txt); [ "$x" ]',
      'for f in *; do [ -s "$f" ]; done',
    ]),
  'the folder above': (make) =>
    `${make.pick(READERS)} ${make.pick(['.?/outside.txt', '.[.]/outside.txt', '.*/outside.txt', '..?/x'])}`,
  'a here-document in a substitution': () => `echo "$(cat <<'E'\nE touch PWNED #)\nE\n)"`,
}

export function hostileCommand(make: Maker): string {
  const before = make.maybe(0.1, () => make.pick(TELLING))
  return `${before}${make.from('hostile', make.chance(0.4) ? HOSTILE_OPTIONS : HOSTILE)}`
}
