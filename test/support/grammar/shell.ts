/** Compositions of commands: pipes, lists, loops, tests, variables, here-documents, redirections, comments. */

import { filter } from './filter.js'
import { hostileCommand } from './hostile-file.js'
import { type Alternatives, Maker, words } from './maker.js'
import { reader } from './reader.js'
import { file, folder, pattern, TEXTS } from './word.js'

const REDIRECTION: Alternatives = {
  'errors to nothing': (make) => make.pick(['2>/dev/null', '2> /dev/null', '2>"/dev/null"']),
  'errors to output': () => '2>&1',
  'output to nothing': (make) => make.pick(['>/dev/null', '> /dev/null', '1>/dev/null']),
  'all to nothing': (make) => make.pick(['>/dev/null 2>&1', '&>/dev/null', '> /dev/null 2> /dev/null']),
  'output to errors': (make) => make.pick(['>&2', '1>&2']),
  input: (make) => `< ${file(make)}`,
  'closed errors': () => '2>&-',
}

function simple(make: Maker): string {
  const program = reader(make)
  const prefix = make.maybe(0.04, () => make.from('prefix', PREFIX))
  const redirection = make.maybe(0.15, () => make.from('redirection', REDIRECTION))
  return words(prefix, program, redirection)
}

const PREFIX: Alternatives = {
  locale: (make) => make.pick(['LC_ALL=C', 'LANG=C', 'TZ=UTC', 'NO_COLOR=1']),
  wrapper: (make) => make.pick(['timeout 5', 'nice', 'time', 'timeout 2s', 'nice -n 5', 'command']),
  not: () => '!',
}

function pipeline(make: Maker): string {
  return [simple(make), ...make.several(1, 3, () => filter(make))].join(
    make.pick([' | ', ' | ', '|', ' |\n  ', ' |& ']),
  )
}

const LIST: Alternatives = {
  and: (make) => `${command(make)} && ${command(make)}`,
  or: (make) => `${command(make)} || ${command(make)}`,
  sequence: (make) => `${command(make)}${make.pick(['; ', ';', ' ; '])}${command(make)}`,
  lines: (make) => `${command(make)}\n${command(make)}`,
  'and or': (make) => `${simple(make)} && ${simple(make)} || ${simple(make)}`,
  'or say so': (make) => `${command(make)} || echo ${make.pick(['none', '"not found"', "'no'"])}`,
  'with a line between': (make) => `${command(make)}; echo "---"; ${command(make)}`,
  group: (make) => `{ ${command(make)}; }`,
  subshell: (make) => `(${command(make)})`,
  'group in a pipe': (make) => `{ ${simple(make)}; ${simple(make)}; } | ${filter(make)}`,
  'change folder and look': (make) =>
    `cd ${folder(make)} && ${make.pick(['ls', 'ls -la', 'pwd', 'git status', 'wc -l *.ts', 'grep -n import *.ts', "find . -name '*.ts'", 'cat *.md', reader(make)])}`,
  'change folder, then look': (make) =>
    `cd ${make.pick(['src', 'docs', 'test'])}; ${make.pick(['ls', 'pwd', 'git log --oneline -3', 'ls -la'])}`,
  'change folder in a subshell': (make) =>
    `(cd ${make.pick(['src', 'docs', 'src/lib'])} && ${make.pick(['ls', 'pwd', 'ls -la', 'cat *.ts'])})`,
  'in the background': (make) => `${simple(make)} & ${make.pick(['wait', 'true', 'ls'])}`,
  'continued line': (make) => simple(make).replace(' ', ' \\\n  '),
  comment: (make) =>
    make.pick([
      `# ${make.pick(TEXTS)} $(rm -rf ~)\n${simple(make)}`,
      `${simple(make)} # ${make.pick(TEXTS)}; rm -rf /`,
    ]),
}

const COMPOUND: Alternatives = {
  'for words': (make) =>
    `for f in ${make.pick(['a b c', '1 2 3', 'src/app.ts src/config.ts', 'src test docs', '"a b" c'])}; do ${body(make, 'f')}; done`,
  'for a glob': (make) =>
    `for f in ${make.pick(['src/*.ts', 'docs/*.md', 'test/*.ts', '*.json'])}; do ${body(make, 'f')}; done`,
  'for numbers': (make) =>
    `for i in ${make.pick(['{1..3}', '$(seq 1 3)', '1 2 3'])}; do ${make.pick(['echo $i', 'echo "item $i"', 'sed -n "${i}p" README.md'])}; done`,
  'for output': (make) =>
    `for f in $(${make.pick(['git diff --name-only', "git ls-files '*.ts'", "find src -name '*.ts'", 'ls src'])}); do ${body(make, 'f')}; done`,
  if: (make) => `if ${condition(make)}; then ${command(make)}; fi`,
  'if else': (make) => `if ${condition(make)}; then ${simple(make)}; else ${simple(make)}; fi`,
  'while read': (make) =>
    `${make.pick(['git diff --name-only', 'ls src', 'cat requirements.txt', "find src -name '*.ts'"])} | while ${make.pick(['read f', 'read -r f', 'IFS= read -r f'])}; do ${body(make, 'f')}; done`,
  'while read of a file': (make) =>
    `while read -r f; do ${body(make, 'f')}; done < ${make.pick(['requirements.txt', 'data/sample.csv'])}`,
  'count up': (make) => `i=0; while [ $i -lt ${make.number(4)} ]; do echo $i; i=$((i+1)); done`,
  case: (make) =>
    `case ${make.pick(['a', '"$(uname -s)"', 'src/app.ts'])} in ${make.pick(['a', 'Linux', '*.ts', 'x|y'])}) ${simple(make)};; *) ${simple(make)};; esac`,
  'assign and use': (make) =>
    `F=${make.pick(['src/app.ts', 'README.md', '"docs/api.md"', 'package.json'])}; ${make.pick(['wc -l "$F"', 'cat $F', 'head -3 "$F"', 'ls -la "$F" && wc -l "$F"', 'grep -n TODO "$F"'])}`,
  'assign output': (make) =>
    `N=$(${make.pick(['wc -l < README.md', 'git rev-parse --short HEAD', 'ls src | wc -l', 'git branch --show-current'])}); echo ${make.pick(['"$N"', '$N', '"n: $N"', '$((N + 1))'])}`,
  'cut a value': (make) =>
    `f=src/lib/retry.ts; echo "${make.pick(['${f##*/}', '${f%.ts}', '${f%/*}', '${#f}', '${f/lib/x}', '${f:0:3}', '${f^^}', '${f:-none}'])}"`,
  'conditional expression': (make) =>
    `[[ ${make.pick(['-f', '-d', '-e'])} ${file(make)} ]] && ${simple(make)}`,
}

function body(make: Maker, name: string): string {
  return make.pick([
    `echo "$${name}"`,
    `wc -l "$${name}"`,
    `head -2 "$${name}"`,
    `echo "== $${name}"; head -1 "$${name}"`,
    `grep -c import "$${name}"`,
    `[ -f "$${name}" ] && echo "$${name}"`,
    `echo $${name}`,
    `cat "$${name}"`,
    `echo "\${${name}%.*}"`,
    `echo "$(wc -l < "$${name}") $${name}"`,
    `if grep -q import "$${name}"; then echo "$${name}"; fi`,
    `ls -la "$${name}"`,
  ])
}

function condition(make: Maker): string {
  return make.pick([
    () => `[ -f ${file(make)} ]`,
    () => `test -d ${folder(make)}`,
    () => `grep -q ${pattern(make)} ${file(make)}`,
    () => `[[ -e ${file(make)} ]]`,
    () => 'git diff --quiet',
    () => '! true',
  ])()
}

const DOCUMENT: Alternatives = {
  quoted: (make) => `cat <<'EOF'\n${documentBody(make)}\nEOF`,
  unquoted: (make) => `cat <<EOF\n${make.pick(TEXTS)} line\nEOF`,
  indented: (make) => `cat <<-'EOF'\n\t${documentBody(make)}\n\tEOF`,
  'into a pipe': (make) => `cat <<'EOF' | ${filter(make)}\n${documentBody(make)}\nEOF`,
  ignored: (make) => `: <<'NOTE'\n${documentBody(make)}\nNOTE\n${simple(make)}`,
  'to a filter': (make) => `${filter(make)} <<'X'\n${make.pick(TEXTS)}\nX`,
  string: (make) => `${filter(make)} <<< ${make.pick(["'x y'", '"a b"', 'word', '"{\\"a\\": 1}"'])}`,
}

function documentBody(make: Maker): string {
  return make.pick([
    '$(rm -rf ~)',
    'plain text',
    '`touch x`',
    'a\nb',
    "it's",
    '"',
    '${x[$(id)]}',
    '# no\n> out',
    'EOF2',
    ' EOF',
  ])
}

const SUBSTITUTION: Alternatives = {
  'in double quotes': (make) => `echo "${make.pick(['n: ', ''])}$(${inner(make)})"`,
  bare: (make) => `echo $(${inner(make)})`,
  backquotes: (make) =>
    `echo \`${make.pick(['date +%s', 'ls src', 'pwd', 'git rev-parse HEAD', 'wc -l README.md'])}\``,
  'in a test': (make) => `[ -n "$(${inner(make)})" ] && echo yes`,
  process: (make) => `${make.pick(['cat', 'wc -l', 'sort', 'head -2', 'nl'])} <(${inner(make)})`,
  'two processes': (make) =>
    `${make.pick(['diff', 'comm -12', 'paste', 'diff -u'])} <(${inner(make)}) <(${inner(make)})`,
  nested: (make) => `echo "$(basename "$(${make.pick(['pwd', 'git rev-parse --show-toplevel'])})")"`,
  operand: (make) =>
    `wc -l $(${make.pick(["git ls-files '*.ts'", "find src -name '*.ts'", 'ls README.md'])})`,
}

function inner(make: Maker): string {
  return make.pick([
    () =>
      make.pick([
        'ls src | wc -l',
        'git branch --show-current',
        'date +%F',
        'pwd',
        'sort requirements.txt',
        'git ls-files | sort',
      ]),
    () => simple(make),
  ])()
}

/** One command that is no list. */
function command(make: Maker): string {
  if (make.depth > 4) return simple(make)
  const chance = make.random()
  if (chance < 0.7) return simple(make)
  return chance < 0.93 ? pipeline(make) : simple(make)
}

const WHOLE: Alternatives = {
  simple,
  pipeline,
  list: (make) => make.from('list', LIST),
  compound: (make) => make.from('compound', COMPOUND),
  document: (make) => make.from('document', DOCUMENT),
  substitution: (make) => make.from('substitution', SUBSTITUTION),
}

/** Commands over hostile files, most of which must not be allowed. */
const HOSTILE_SHARE = 0.15

export interface Made {
  command: string
  productions: ReadonlySet<string>
}

export function makeCommand(random: () => number): Made {
  const make = new Maker(random)
  if (random() < HOSTILE_SHARE) return { command: hostileCommand(make), productions: make.used }
  const isSimple = random() < 0.35
  return {
    command: isSimple ? make.from('command', { simple, pipeline }) : make.from('command', WHOLE),
    productions: make.used,
  }
}
