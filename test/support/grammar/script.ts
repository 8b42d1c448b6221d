/** The small languages inside of commands: scripts of sed and awk, filters of jq, expressions of find. */

import { type Alternatives, type Maker, words } from './maker.js'
import { TEXTS } from './word.js'

const ADDRESS: Alternatives = {
  none: () => '',
  line: (make) => String(make.number(40)),
  range: (make) => `${make.number(10)},${10 + make.number(40)}`,
  last: () => '$',
  'to the last': (make) => `${make.number(9)},$`,
  pattern: (make) => `/${make.pick(TEXTS)}/`,
  'from pattern to pattern': (make) => `/${make.pick(TEXTS)}/,/${make.pick(['^$', '}', 'end'])}/`,
  step: (make) => `${make.number(3)}~${make.number(4)}`,
  'so many lines': (make) => `${make.number(9)},+${make.number(5)}`,
  'not these': (make) => `${make.number(9)}!`,
  'another delimiter': (make) => `\\,${make.pick(TEXTS)},`,
}

const SED: Alternatives = {
  print: () => 'p',
  delete: () => 'd',
  quit: () => 'q',
  'line number': () => '=',
  substitute: (make) =>
    `s/${make.pick(TEXTS)}/${make.pick(['x', '', '&!', '\\n', 'a b'])}/${make.pick(['', 'g', 'p', 'gp', '2', 'I', 'gI'])}`,
  'substitute with another delimiter': (make) =>
    `s${make.pick(['|', '#', ',', ':'])}${make.pick(TEXTS)}$D${make.pick(['x', 'y'])}$D${make.pick(['', 'g'])}`,
  'substitute a class': (make) =>
    make.pick([
      's/[[:space:]]*$//',
      's/^[ \\t]*//',
      's/[^a-z]//g',
      's/.*\\.//',
      's/\\(a\\)\\(b\\)/\\2\\1/',
      's/[/]/-/',
    ]),
  transliterate: () => 'y/abc/xyz/',
  next: (make) => make.pick(['n', 'N', 'P', 'D', 'h', 'H', 'g', 'G', 'x']),
  block: (make) => `{${make.pick(['p', 's/a/b/;p', '=;p', '/x/d;p', 'n;p'])}}`,
  text: (make) => `${make.pick(['a', 'i', 'c'])}\\\n${make.pick(TEXTS)}`,
  list: () => 'l',
}

function sedCommand(make: Maker): string {
  const address = make.from('sed address', ADDRESS)
  const command = make.from('sed', SED)
  const delimiter = command[1] ?? '|'
  return address + command.replaceAll('$D', delimiter)
}

export function sedScript(make: Maker): string {
  const script = make.several(1, 2, () => sedCommand(make)).join(make.pick([';', '; ', '\n']))
  const isPlain = /^[\w,]+$/.test(script)
  if (isPlain && make.chance(0.4)) return script
  return make.chance(0.8) || /[$`"\\!]/.test(script) ? `'${script}'` : `"${script}"`
}

const AWK_PATTERN: Alternatives = {
  none: () => '',
  regex: (make) => `/${make.pick(TEXTS)}/`,
  'not regex': (make) => `!/${make.pick(TEXTS)}/`,
  line: (make) => make.pick(['NR==1', 'NR>1', 'NR%2==0', 'NR>=2 && NR<=5', 'FNR==1', 'NR < 4']),
  field: (make) =>
    make.pick([
      '$1=="x"',
      '$2 > 10',
      '$1 ~ /a/',
      'NF',
      'NF>2',
      '$NF != ""',
      'length > 20',
      'length($0) > 10',
    ]),
  begin: () => 'BEGIN',
  end: () => 'END',
  range: () => '/a/,/b/',
}

const AWK: Alternatives = {
  print: () => 'print',
  'print fields': (make) =>
    `print ${make.pick(['$1', '$2', '$NF', '$0', 'NR', '$1, $2', '$1 " " $2', 'NR": "$0', '$1"-"$2', 'FILENAME', 'NF', '$(NF-1)', 'toupper($1)', 'length($0)'])}`,
  printf: (make) =>
    make.pick(['printf "%s\\n", $1', 'printf "%-10s %d\\n", $1, NR', 'printf("%s %s\\n", $1, $2)']),
  count: (make) => make.pick(['n++', 's += $1', 'a[$1]++', 'sum += length($0)', 'c[NF]+=1']),
  loop: (make) =>
    make.pick([
      'for (k in a) print k, a[k]',
      'for (i=1; i<=NF; i++) print $i',
      'for(i=NF;i>0;i--) printf "%s ", $i',
    ]),
  if: (make) =>
    make.pick([
      'if ($1 > 1) print $2',
      'if (NR==1) next; print',
      'if (/x/) print "yes"; else print "no"',
      'if (x == "") x = $1',
    ]),
  function: (make) =>
    make.pick([
      'print substr($0, 1, 10)',
      'gsub(/a/, "b"); print',
      'sub(/x/, ""); print $0',
      'n = split($0, p, ","); print n',
      'print index($0, "a")',
      'print tolower($0)',
      'print match($0, /a/)',
      'print int($1 / 2)',
      'print sprintf("%d", 3)',
    ]),
  assign: (make) => make.pick(['x = $1; print x', 'FS=","', 'OFS="-"; $1=$1; print', '$1=""; print']),
  next: (make) => make.pick(['next', 'exit', 'exit 0']),
}

export function awkProgram(make: Maker): string {
  const rule = () => {
    const condition = make.from('awk pattern', AWK_PATTERN)
    const needsAction = condition === '' || condition === 'BEGIN' || condition === 'END'
    const action =
      needsAction || make.chance(0.7)
        ? `{${make.pick(['', ' '])}${make.from('awk', AWK)}${make.pick(['', ' '])}}`
        : ''
    return words(condition, action)
  }
  return `'${make.several(1, 2, rule).join(make.pick([' ', '; ', '\n']))}'`
}

const JQ: Alternatives = {
  identity: () => '.',
  field: (make) =>
    make.pick([
      '.name',
      '.scripts',
      '.version',
      '.[0]',
      '.[0].name',
      '.a.b',
      '."name"',
      '.["name"]',
      '.dependencies.express',
      '.name?',
      '.[]?',
    ]),
  iterate: (make) => make.pick(['.[]', '.[] | .name?', '.[].id?', '.[1:]', '.[:2]', '.[-1:]']),
  keys: (make) =>
    make.pick([
      'keys',
      'keys[]',
      'length',
      '.scripts | keys',
      'to_entries',
      'type',
      'values',
      'add?',
      'paths',
      'map_values(.)',
      'del(.name)',
    ]),
  select: (make) =>
    make.pick([
      '.[] | select(.active)',
      'select(.level == "error")',
      '.[]? | select(.id > 1)',
      'map(select(.name | test("^A")))',
      'select(has("name"))',
    ]),
  construct: (make) =>
    make.pick(['{name, version}', '{a: .name}', '[.name, .version]', '[.[] | .name?]', '{n: length}']),
  text: (make) =>
    make.pick([
      '"\\(.name)@\\(.version)"',
      '.name + "!"',
      '.name | ascii_upcase',
      '[.name, .version] | @csv',
      '.name | @text',
      '.name | length',
      '. | tostring',
      '[.name] | @tsv',
      '.name | split("e")',
      '.name | sub("o"; "0")',
    ]),
  logic: (make) =>
    make.pick([
      '.name // "none"',
      'if .name then 1 else 2 end',
      '.name == "orders"',
      '.a and .b',
      '.a | not',
      'try .x.y catch 1',
      'first(.[]?)',
      'reduce .[]? as $x (0; . + 1)',
      '. as $d | $d',
      'limit(1; .[]?)',
    ]),
  number: (make) =>
    make.pick([
      '1 + 2',
      '[1, 2] | add',
      'range(3)',
      '[range(5)] | map(. * 2)',
      '3 % 2',
      '[3,1] | sort',
      '[1,1] | unique',
    ]),
  argument: () => '$x',
  comment: () => '.name # the name',
}

export function jqFilter(make: Maker): string {
  const filter = make.from('jq', JQ)
  if (/^[.\w]+$/.test(filter) && make.chance(0.5)) return filter
  return `'${filter}'`
}

const FIND: Alternatives = {
  none: () => '',
  name: (make) =>
    `${make.pick(['-name', '-iname'])} ${make.pick(["'*.ts'", '"*.py"', 'README.md', "'*.md'", "'[a-r]*.ts'", "'app.*'", '\\*.json', "'?????.ts'"])}`,
  type: (make) => `-type ${make.pick(['f', 'd', 'l', 'f,d'])}`,
  depth: (make) => `${make.pick(['-maxdepth', '-mindepth'])} ${make.number(3)}`,
  size: (make) => `-size ${make.pick(['+1k', '-10k', '0', '+0c', '-1M'])}`,
  time: (make) =>
    make.pick([
      '-mtime -1',
      '-mmin -60',
      '-newer package.json',
      '-atime +1',
      '-mtime 0',
      "-newermt '2 days ago'",
    ]),
  path: (make) => `-path ${make.pick(["'*/lib/*'", "'./src/*'", '"*/node_modules/*"'])}`,
  not: (make) =>
    `${make.pick(['-not', '!', '\\!'])} ${make.pick(["-name '*.md'", "-path '*/node_modules/*'", '-type d', "-path './.git/*'"])}`,
  or: (make) =>
    make.pick([
      "\\( -name '*.ts' -o -name '*.tsx' \\)",
      "-name '*.ts' -o -name '*.py'",
      "'(' -type f -o -type l ')'",
    ]),
  prune: (make) =>
    make.pick([
      '-name node_modules -prune -o -type f -print',
      '-path ./node_modules -prune -o -print',
      "-name .git -prune -o -name '*.ts' -print",
    ]),
  empty: () => '-empty',
  regex: () => "-regex '.*/[a-z]+\\.ts'",
  rights: (make) => make.pick(['-perm -u+x', '-perm 644', '-readable', '-user dev', '-executable']),
  print: (make) =>
    make.pick([
      '-print',
      '-print0',
      '-ls',
      "-printf '%s %p\\n'",
      '-printf "%f\\n"',
      "-printf '%TY-%Tm-%Td %P\\n'",
      '-quit',
    ]),
  'run a reader': (make) =>
    `-exec ${make.pick(['wc -l {} +', 'grep -l TODO {} +', "grep -n 'import' {} \\;", 'ls -la {} \\;', 'basename {} \\;', 'head -2 {} \\;', "cat {} ';'", 'stat -c %s {} +', 'file {} +'])}`,
}

export function findTests(make: Maker): string {
  return words(...make.several(1, 3, () => make.from('find', FIND)))
}
