/** Looking at a repository: subcommands, their options, revisions and pathspecs. */

import { type Alternatives, type Maker, options, words } from './maker.js'
import { file, pattern, TEXTS } from './word.js'

const REVISION: Alternatives = {
  head: (make) => make.pick(['HEAD', '@']),
  parent: (make) => `HEAD${make.pick(['~1', '~2', '^', '~', '^^', '^0', '~1^'])}`,
  branch: (make) => make.pick(['main', 'feature/orders', 'origin/main', 'refs/heads/main', 'heads/main']),
  tag: (make) => make.pick(['v1.0.0', 'v1.1.0', 'tags/v1.0.0']),
  range: (make) =>
    make.pick([
      'HEAD~2..HEAD',
      'v1.0.0..v1.1.0',
      'main..HEAD',
      'HEAD~1..',
      '..HEAD',
      'main...HEAD',
      'origin/main..HEAD',
    ]),
  reflog: (make) => make.pick(['HEAD@{0}', 'main@{0}', 'HEAD@{1}', '@{0}', 'stash@{0}']),
  quoted: (make) => make.pick(['"HEAD~1"', "'main'", '"v1.0.0"']),
  negated: () => 'HEAD ^HEAD~2',
}

function revision(make: Maker): string {
  return make.from('revision', REVISION)
}

const PATHS: Alternatives = {
  none: () => '',
  file: (make) => `-- ${file(make)}`,
  folder: (make) => `-- ${make.pick(['src', 'src/', 'test docs', './worker'])}`,
  glob: (make) => `-- ${make.pick(["'*.ts'", '"src/*.ts"', "'docs/*.md'", "'src/**/*.ts'"])}`,
  without: (make) => make.pick(['src', 'README.md', 'package.json']),
}

function paths(make: Maker): string {
  return make.from('pathspec', PATHS)
}

const FORMAT: Alternatives = {
  oneline: () => '--oneline',
  pretty: (make) =>
    `--pretty=${make.pick(['format:%h', "'format:%h %s'", '"format:%an: %s"', 'fuller', 'short', 'oneline', 'tformat:%H'])}`,
  format: (make) =>
    `--format=${make.pick(['%H', '%s', "'%h %ad %s'", '"%an <%ae>"', "'%C(red)%h'", "'%n%B'"])}`,
  stat: (make) =>
    make.pick(['--stat', '--shortstat', '--name-only', '--name-status', '--numstat', '--summary', '--raw']),
  patch: (make) =>
    make.pick(['-p', '-U1', '--patch', '-w', '--word-diff', '--color=never', '--no-color', '-M', '-C']),
}

function format(make: Maker): string {
  return make.from('git format', FORMAT)
}

const LIMIT: Alternatives = {
  count: (make) =>
    make.pick([
      `-${make.number(9)}`,
      `-n ${make.number(9)}`,
      `-n${make.number(9)}`,
      `--max-count=${make.number(5)}`,
    ]),
  since: (make) =>
    make.pick([
      "--since='2 weeks ago'",
      '--since=yesterday',
      '--until=now',
      '--after=2026-01-01',
      '--before="1 day ago"',
    ]),
  author: (make) => make.pick(['--author=Dev', '--author="Dev"', "--committer='dev@example.com'"]),
  grep: (make) => `--grep=${make.pick(['fix', "'Add retry'", '"Start"'])}`,
  pickaxe: (make) =>
    make.pick([`-S${make.pick(TEXTS)}`, `-G'${make.pick(TEXTS)}'`, `-S "${make.pick(TEXTS)}"`]),
  order: (make) =>
    make.pick([
      '--reverse',
      '--graph',
      '--all',
      '--merges',
      '--no-merges',
      '--first-parent',
      '--date-order',
      '--topo-order',
      '--decorate',
      '--date=short',
      '--branches',
    ]),
  lines: (make) => `-L ${make.number(3)},${3 + make.number(3)}:${make.pick(['src/app.ts', 'README.md'])}`,
  follow: (make) => `--follow -- ${make.pick(['src/app.ts', 'README.md'])}`,
}

function limits(make: Maker): string {
  return words(...make.several(0, 2, () => make.from('git limit', LIMIT)))
}

const DIFF = [
  '--cached',
  '--staged',
  '--stat',
  '--name-only',
  '--name-status',
  '-U3',
  '-w',
  '--check',
  '--quiet',
  '--exit-code',
  '--shortstat',
  '--diff-filter=ACM',
  '--word-diff',
  '--color=never',
  '-R',
  '-M',
  '--minimal',
]

const GIT: Alternatives = {
  status: (make) =>
    words(
      'status',
      options(make, [
        '-s',
        '--short',
        '-sb',
        '--porcelain',
        '--branch',
        '-uno',
        '--ignored',
        '--porcelain=v2',
      ]),
    ),
  log: (make) =>
    words(
      'log',
      limits(make),
      make.maybe(0.7, () => format(make)),
      make.maybe(0.4, () => revision(make)),
      make.maybe(0.3, () => paths(make)),
    ),
  show: (make) =>
    words(
      'show',
      make.maybe(0.6, () => format(make)),
      make.maybe(0.7, () => revision(make)),
      make.maybe(0.2, () => paths(make)),
    ),
  'show a file': (make) =>
    words(
      'show',
      `${make.pick(['HEAD', 'HEAD~1', 'main', 'v1.0.0', 'origin/main', ''])}:${make.pick(['README.md', 'src/app.ts', './package.json', 'docs/api.md', 'src'])}`,
    ),
  diff: (make) =>
    words(
      'diff',
      options(make, DIFF),
      make.maybe(0.5, () => revision(make)),
      make.maybe(0.4, () => paths(make)),
    ),
  blame: (make) =>
    words(
      'blame',
      options(make, ['-L 1,3', '-w', '-s', '-e', '--date=short', '-L1,+2', '-C']),
      make.pick(['src/app.ts', 'README.md', '-- src/app.ts', 'HEAD~1 -- README.md']),
    ),
  branch: (make) =>
    words(
      'branch',
      make.pick([
        '',
        '-a',
        '-v',
        '-vv',
        '-r',
        '--list',
        "--list 'feature/*'",
        '--show-current',
        '--merged',
        '--contains HEAD',
        '--sort=-committerdate',
        '--merged main',
        '--no-merged',
      ]),
    ),
  tag: (make) =>
    words(
      'tag',
      make.pick([
        '',
        '-l',
        "-l 'v*'",
        '--list',
        '--points-at HEAD',
        '-n',
        '--sort=-v:refname -l',
        '--contains HEAD',
      ]),
    ),
  remote: (make) => words('remote', make.pick(['', '-v', 'get-url origin', 'show -n origin'])),
  stash: (make) => words('stash', make.pick(['list', 'show', 'show -p', 'show stash@{0}', 'show --stat'])),
  'rev-parse': (make) =>
    words(
      'rev-parse',
      make.pick([
        'HEAD',
        '--short HEAD',
        '--abbrev-ref HEAD',
        '--show-toplevel',
        '--git-dir',
        '--is-inside-work-tree',
        '--verify main',
        revision(make),
      ]),
    ),
  'rev-list': (make) =>
    words(
      'rev-list',
      make.pick(['--count HEAD', '-3 HEAD', '--all', '--left-right --count main...HEAD', revision(make)]),
    ),
  'ls-files': (make) =>
    words(
      'ls-files',
      options(make, ['-m', '-o', '--others --exclude-standard', '-s', '-c', '-z']),
      make.pick(['', "'*.ts'", 'src', '"*.md"', '-- test']),
    ),
  'ls-tree': (make) =>
    words(
      'ls-tree',
      options(make, ['-r', '--name-only', '-l', '-d']),
      make.pick(['HEAD', 'HEAD src/', 'main', 'v1.0.0 docs/']),
    ),
  grep: (make) =>
    words(
      'grep',
      options(make, ['-n', '-l', '-i', '-w', '-c', '-E', '-h']),
      pattern(make),
      make.maybe(0.3, () => make.pick(['HEAD', 'HEAD~1'])),
      make.maybe(0.5, () => make.pick(['-- src', "-- '*.ts'", '-- README.md'])),
    ),
  'cat-file': (make) =>
    words(
      'cat-file',
      make.pick(['-p', '-t', '-s', '-e']),
      make.pick(['HEAD', 'HEAD~1', 'v1.0.0', 'HEAD:README.md', 'main:src', 'HEAD^{tree}']),
    ),
  describe: (make) =>
    words('describe', options(make, ['--tags', '--always', '--abbrev=0', '--long', '--all'])),
  shortlog: (make) =>
    words(
      'shortlog',
      make.pick(['-sn', '-s', '-sne']),
      make.pick(['HEAD', 'v1.0.0..HEAD', '--since=yesterday HEAD']),
    ),
  config: (make) =>
    words(
      'config',
      make.pick([
        '--get user.name',
        '--get user.email',
        '--get-all remote.origin.fetch',
        '--get remote.origin.url',
        '--list --local',
        '-l --local --name-only',
        '--local user.name',
        '--global user.name',
        "--local --get-regexp '^remote'",
        '--show-origin core.bare',
      ]),
    ),
  'merge-base': (make) => words('merge-base', make.pick(['main HEAD', 'v1.0.0 HEAD', 'HEAD HEAD~2'])),
  reflog: (make) => words('reflog', make.pick(['', '-3', 'show', '--date=iso', 'show main'])),
  'for-each-ref': (make) =>
    words(
      'for-each-ref',
      make.pick([
        '',
        '--sort=-committerdate',
        "--format='%(refname:short)'",
        '--count=2',
        'refs/heads',
        "refs/tags --format='%(objectname) %(refname)'",
      ]),
    ),
  'show-ref': (make) => words('show-ref', make.pick(['', '--heads', '--tags', 'main'])),
  version: () => '--version',
}

export function gitCommand(make: Maker): string {
  const before = make.maybe(0.12, () => make.pick(['--no-pager', '-C .', '--no-pager -C .', '-P']))
  return words('git', before, make.from('git', GIT))
}
