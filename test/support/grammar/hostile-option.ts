/** Options that programs read in another way than it seems: clusters, fallbacks, the last one that wins, files of arguments. */

import type { Random } from '../../../bench/policy-rewrite.js'
import { type Alternatives, Maker, words } from './maker.js'

/** Letters of options with values, of flags, and of what writes or runs something. */
const LETTERS: Readonly<Record<string, string>> = {
  tree: 'aadfhIIPPLooRJ',
  xxd: 'aabceglnprsio',
  uniq: 'cdfisuw',
  sort: 'kknrtuoSTm',
  column: 'tsoNcnxJ',
  od: 'AtNjwvcx',
  strings: 'antefow',
  cut: 'dfcbsn',
  file: 'bikfFmCPe',
  du: 'sdhatX',
  ls: 'lawTI1R',
  nl: 'bnwsvi',
  diff: 'uqrUWxILDl',
  hexdump: 'Cnsefv',
  shuf: 'nerio',
  date: 'durIsf',
  lsof: 'nPtipacsuFD',
  tar: 'tvzfxcIO',
}
const VALUES = ['x', '2', 'README.md', 'src/app.ts', 'docs/api.md', '1', '%']

function cluster(make: Maker, letters: string): string {
  return `-${make.several(1, 4, () => make.pick(letters.split(''))).join('')}`
}

const LISTS = [
  'git ls-files',
  "find . -name '*.ts'",
  "find docs -name '*.md'",
  'rg --files',
  'rg --files src',
]

const LIMITS = [
  '-1',
  '-2',
  '-5',
  '-n 1',
  '-n1',
  '--max-count=2',
  '--skip=1',
  '--reverse',
  '--no-merges',
  '--first-parent',
  '--author=Dev',
  '--grep=Start',
  '-S KEY',
  '--since=2020-01-01',
  '--until=now',
  '--all',
  '--merges',
  '--oneline',
]

export const HOSTILE_OPTIONS: Alternatives = {
  'a cluster': (make) => {
    const program = make.pick(Object.keys(LETTERS))
    const groups = make.several(1, 2, () => cluster(make, LETTERS[program] ?? ''))
    return words(program, ...groups, ...make.several(0, 3, () => make.pick(VALUES)))
  },
  'a cluster of ps': (make) =>
    words(
      'ps',
      ...make.several(1, 2, () => cluster(make, 'eeeffHTLFljwyaAdNx')),
      ...make.several(0, 2, () =>
        make.pick([
          '-o args',
          '-o pid,args',
          '--forest',
          '-p 1',
          '-p 0',
          '-C bash',
          '--no-headers',
          '--sort=pid',
        ]),
      ),
    ),
  'options of which one wins': (make) =>
    words(
      make.pick(LISTS),
      '| xargs',
      ...make.several(1, 3, () =>
        make.pick(['-I{}', '-I%', '-n2', '-n 2', '-n1', '-L2', '-L 1', '-0', '-r', '-P2']),
      ),
      make.pick([
        'uniq',
        'uniq -c',
        'xxd',
        'xxd -p',
        'cat',
        'wc -l',
        'strings',
        'head -2',
        'git branch',
        'date',
      ]),
      make.pick(['', '', '{}', '%']),
    ),
  // In a folder all of whose names xargs takes for one word each.
  'a listed file of arguments': (make) =>
    words(
      make.pick(['', 'cd src &&']),
      make.pick([...LISTS, 'ls']),
      '| xargs',
      make.pick(['', '-n1', '-r', '-I{}']),
      make.pick(['strings', 'strings -n 3', 'cat', 'file', 'wc', 'strings {}']),
    ),
  'a limit of git': (make) =>
    words(
      'git',
      make.pick(['show', 'log -p', 'log -p', 'log -U1', 'whatchanged -p', 'reflog -p']),
      ...make.several(1, 2, () => make.pick(LIMITS)),
      make.pick(['', '', 'HEAD', 'main', 'HEAD~2..HEAD', 'HEAD^@', 'v1.0.0']),
      make.pick([
        '',
        '-- infra',
        '-- src',
        'infra',
        '-- .',
        "-- ':!README.md'",
        "-- ':!src' ':!worker' ':!README.md'",
      ]),
    ),
}

/** Such a command in front once took all that follow out of the jail. */
export const TELLING = ['id; ', 'whoami && ', 'stat README.md; ', 'df . ; ', 'ls -l | head -1; ']

/** One of these alone, for a run that is about nothing else. */
export function makeHostileOptions(random: Random): { command: string; productions: ReadonlySet<string> } {
  const make = new Maker(random)
  const command = make.from('hostile', HOSTILE_OPTIONS)
  return { command, productions: make.used }
}
