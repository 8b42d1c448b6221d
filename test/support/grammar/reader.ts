/** Programs that only read, with the options that agents give them. */

import { gitCommand } from './git.js'
import { type Alternatives, type Maker, options, words } from './maker.js'
import { CUT, GREP, GREP_TREE, HEAD, LS, RG, SORT, TAIL, TR, WC } from './option.js'
import { awkProgram, findTests, jqFilter, sedScript } from './script.js'
import { count, file, files, folder, pattern, text } from './word.js'

const READER: Alternatives = {
  ls: (make) =>
    words(
      'ls',
      options(make, LS),
      make.maybe(0.7, () => make.pick([folder, files])(make)),
    ),
  'ls a file': (make) => words('ls', options(make, ['-l', '-la', '-d']), files(make)),
  cat: (make) => words('cat', options(make, ['-n', '-A', '-b', '-s', '-E', '-T', '-v', '--']), files(make)),
  head: (make) => words('head', make.pick(HEAD), files(make)),
  tail: (make) => words('tail', make.pick(TAIL), files(make)),
  wc: (make) => words('wc', make.pick(WC), files(make)),
  grep: (make) => words('grep', options(make, GREP), pattern(make), files(make)),
  'grep a tree': (make) =>
    words(
      'grep',
      make.pick(['-r', '-rn', '-rl', '-rni', '-rc', '-rhn', '-rnE']),
      options(make, [...GREP, ...GREP_TREE]),
      pattern(make),
      folder(make),
    ),
  egrep: (make) =>
    words(make.pick(['egrep', 'fgrep']), options(make, ['-n', '-i', '-r']), pattern(make), files(make)),
  rg: (make) =>
    words(
      'rg',
      options(make, RG),
      pattern(make),
      make.maybe(0.7, () => folder(make)),
    ),
  'rg files': (make) =>
    words(
      'rg --files',
      options(make, ["-g '*.ts'", '-t ts', '--sort path']),
      make.maybe(0.5, () => folder(make)),
    ),
  find: (make) => words('find', folder(make), findTests(make)),
  sed: (make) =>
    words(
      'sed',
      make.pick(['-n', '-n', '', '-E', '-n -E', '-nE', '-s', '-u', '-z']),
      sedScript(make),
      files(make),
    ),
  'sed with -e': (make) =>
    words(
      'sed',
      make.pick(['-n', '', '-E']),
      ...make.several(1, 2, () => `-e ${sedScript(make)}`),
      files(make),
    ),
  awk: (make) =>
    words(
      'awk',
      make.pick(['', '', '-F,', '-F:', "-F'\"'", '-F "\\t"', '-v n=3', "-v name='x y'"]),
      awkProgram(make),
      files(make),
    ),
  jq: (make) =>
    words(
      'jq',
      options(make, [
        '-r',
        '-c',
        '-e',
        '-s',
        '-n',
        '-S',
        '-M',
        '--arg x y',
        '--tab',
        '-j',
        '--argjson n 1',
        '-R',
        '--indent 1',
      ]),
      jqFilter(make),
      make.pick([
        'package.json',
        'test/fixtures/users.json',
        'data/events.jsonl',
        'tsconfig.json',
        file(make),
      ]),
    ),
  git: gitCommand,
  echo: (make) =>
    words(
      'echo',
      make.maybe(0.2, () => make.pick(['-n', '-e', '-E'])),
      ...make.several(0, 3, () => text(make)),
    ),
  printf: (make) =>
    words(
      'printf',
      make.pick([
        "'%s\\n'",
        '"%d files\\n"',
        "'%-10s|%5s\\n'",
        '"%s: %s\\n"',
        "'%b\\n'",
        "'%q '",
        '-- "%s\\n"',
        "'\\x41\\n'",
        "'%%\\n'",
      ]),
      ...make.several(0, 3, () => text(make)),
    ),
  pwd: (make) => words('pwd', make.pick(['', '-P', '-L'])),
  sort: (make) => words('sort', options(make, SORT), files(make)),
  uniq: (make) => words('uniq', options(make, ['-c', '-d', '-u', '-i', '-f 1', '-w 3']), file(make)),
  cut: (make) => words('cut', make.pick(CUT), files(make)),
  'read standard input': (make) =>
    words(make.pick(['wc -l', 'cat', 'sort', 'head -3', `tr ${make.pick(TR)}`, 'nl']), '<', file(make)),
  diff: (make) =>
    words(
      'diff',
      options(make, ['-u', '-q', '-w', '-y', '--brief', '-U 1', '-i', '-B', '--color=never']),
      file(make),
      file(make),
    ),
  'diff of substitutions': (make) =>
    words('diff', options(make, ['-u', '-q']), `<(sort ${file(make)})`, `<(sort -u ${file(make)})`),
  cmp: (make) => words('cmp', options(make, ['-s', '-l', '-b']), file(make), file(make)),
  comm: (make) => words('comm', make.pick(['', '-12', '-23', '-3', '-1']), file(make), file(make)),
  join: (make) => words('join', options(make, ['-t,', '-1 1', '-a 1']), file(make), file(make)),
  paste: (make) => words('paste', options(make, ["-d' '", '-s', '-d,']), files(make)),
  stat: (make) =>
    words(
      'stat',
      make.pick(['', '-c %s', "-c '%n %y'", '--format=%a', '-t', "--printf='%n\\n'", '-L']),
      files(make),
    ),
  file: (make) => words('file', options(make, ['-b', '-i', '--mime-type', '-L']), files(make)),
  du: (make) =>
    words(
      'du',
      options(make, ['-s', '-h', '-sh', '-a', '--max-depth=1', '-c', '-k', '-b']),
      make.pick([folder, files])(make),
    ),
  df: (make) =>
    words(
      'df',
      options(make, ['-h', '-T', '-i']),
      make.maybe(0.5, () => '.'),
    ),
  date: (make) =>
    words(
      'date',
      make.pick([
        '',
        '-u',
        '+%s',
        '+%Y-%m-%d',
        "-d '2 days ago'",
        '-u +%FT%TZ',
        '"+%H:%M"',
        '-I',
        '-R',
        `-d @${make.number(99999)}`,
      ]),
    ),
  who: (make) =>
    make.pick([
      'id',
      'id -un',
      'whoami',
      'groups',
      'uname -a',
      'uname -sm',
      'nproc',
      'uptime',
      'arch',
      'hostname',
      'tty',
      'id -u',
    ]),
  report: (make) =>
    make.pick([
      () =>
        words(
          'lsof',
          make.pick(['-nP', '-n', '-n -P', '-t']),
          make.pick(['-i', '-iTCP', '-i :3000', '-i:80', '-i4']),
        ),
      () =>
        words(
          'ss',
          make.pick(['-ltn', '-tn', '-tulpn', '-s']),
          make.pick(['', "'sport = :22'", 'state listening']),
        ),
      () =>
        words(
          'ip',
          make.pick(['', '-4', '-br', '-o']),
          make.pick(['a', 'addr', 'addr show lo', 'route', 'link ls']),
        ),
      () =>
        make.pick([
          'vmstat',
          'vmstat -s',
          'who',
          'w',
          'w -h',
          'users',
          'pidof bash',
          'pstree',
          'pstree -p',
          'lsblk',
        ]),
    ])(),
  ps: (make) => words('ps', make.pick(['aux', '-ef', '', '-p 1', '-o pid,comm', 'ax', '-e -o pid='])),
  dump: (make) =>
    words(
      make.pick([
        'nl',
        'nl -ba',
        'tac',
        'od -c',
        'od -An -tx1',
        'xxd',
        'xxd -l 32',
        'xxd -p',
        'hexdump -C',
        'strings',
        'strings -n 8',
        'base64',
        'base64 -w0',
        'rev',
        'fold -w 40',
        'fold -s',
        'expand',
        'expand -t 4',
        'fmt',
        'column -t',
        'column -t -s,',
      ]),
      file(make),
    ),
  sum: (make) =>
    words(make.pick(['md5sum', 'sha256sum', 'sha1sum', 'cksum', 'sha512sum', 'b2sum', 'sum']), files(make)),
  name: (make) =>
    words(
      make.pick([
        'basename',
        'dirname',
        'realpath',
        'readlink -f',
        'readlink',
        'realpath -s',
        'basename -s .ts',
      ]),
      file(make),
    ),
  'test by name': (make) =>
    words('test', make.pick(['-f', '-d', '-e', '-s', '-r', '-x', '-L', '! -f', '-n', '-z']), file(make)),
  'test in brackets': (make) =>
    words('[', make.pick(['-f', '-d', '-e', '-s', '! -e', '-n', '-z']), file(make), ']'),
  'compare in brackets': (make) =>
    words(
      '[',
      `"${make.pick(['a', 'b', 'x'])}"`,
      make.pick(['=', '!=', '==']),
      `"${make.pick(['a', 'b'])}"`,
      ']',
    ),
  'test in double brackets': (make) =>
    words(
      '[[',
      make.pick(['-f', '-d', '-e', '-s', '! -e']),
      file(make),
      make.maybe(0.3, () => `&& ${make.pick(['-d src', '-n x', 'a == a', 'a != b', 'x =~ ^x'])}`),
      ']]',
    ),
  seq: (make) =>
    words('seq', make.pick([count(make), `1 ${count(make)}`, `-s, ${count(make)}`, `-w 1 ${count(make)}`])),
  expr: (make) =>
    make.pick([
      `expr ${count(make)} + ${count(make)}`,
      `factor ${count(make)}`,
      `numfmt --to=iec ${make.number(99999)}`,
    ]),
  which: (make) =>
    words(
      make.pick(['which', 'type', 'command -v', 'type -t', 'which -a', 'type -a']),
      make.pick(['node', 'git', 'ls', 'rg', 'python3', 'cd', 'nothing']),
    ),
  version: (make) =>
    words(
      make.pick(['node', 'git', 'npm', 'python3', 'jq', 'rg', 'bash', 'grep', 'sed', 'awk', 'gcc']),
      '--version',
    ),
  true: (make) => make.pick(['true', 'false', ':', 'true x y', ': ignored']),
  shuf: (make) => words('shuf', options(make, ['-n 2', '-e']), file(make)),
  'list an archive': (make) =>
    words('tar', make.pick(['-tzf', 'tzf', '-tf', '-tvf', '-tvzf', '--list -f']), 'dist/bundle.tar.gz'),
  sockets: (make) => words('ss', make.pick(['-ltn', '-tln', '-tulpn', '-s', '-lt', '-an'])),
}

/** Those with many options or a language of their own: most of what can go wrong is in them. */
const RICH: Alternatives = Object.fromEntries(
  Object.entries(READER).filter(([name]) =>
    /^(?:git|find|sed|sed with -e|awk|jq|grep|grep a tree|rg)$/.test(name),
  ),
)

const GIT: Alternatives = { git: gitCommand }

export function reader(make: Maker): string {
  const chance = make.random()
  if (chance < 0.12) return make.from('reader', GIT)
  return make.from('reader', chance < 0.5 ? RICH : READER)
}
