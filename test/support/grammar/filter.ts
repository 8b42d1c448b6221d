/** Programs in the middle and at the end of a pipe. */

import { type Alternatives, type Maker, options, words } from './maker.js'
import { CUT, GREP, HEAD, SORT, TAIL, TR, WC } from './option.js'
import { awkProgram, sedScript } from './script.js'
import { pattern } from './word.js'

const FILTER: Alternatives = {
  head: (make) => words('head', make.pick(HEAD)),
  tail: (make) => words('tail', make.pick(TAIL)),
  wc: (make) => words('wc', make.pick(WC)),
  grep: (make) => words('grep', options(make, GREP), pattern(make)),
  sort: (make) => words('sort', options(make, SORT)),
  uniq: (make) => words('uniq', options(make, ['-c', '-d', '-u', '-i'])),
  cut: (make) => words('cut', make.pick(CUT)),
  tr: (make) => words('tr', make.pick(TR)),
  sed: (make) => words('sed', make.pick(['-n', '', '-E']), sedScript(make)),
  awk: (make) => words('awk', make.pick(['', '-F,', '-F:']), awkProgram(make)),
  cat: (make) => words('cat', make.pick(['', '-n', '-A', '-'])),
  other: (make) =>
    make.pick([
      'nl',
      'tac',
      'rev',
      'base64',
      'od -c',
      'xxd',
      'column -t',
      'md5sum',
      'paste -sd,',
      'fold -w 60',
      'strings',
      'tail -n +2',
      'jq .',
      'jq -R .',
      'expand',
      'file -',
      'diff - README.md',
    ]),
  'xargs of a reader': (make) =>
    words(
      'xargs',
      make.pick(['', '-n1', '-0', '-I{}', "-d '\\n'", '-r', '-L 1']),
      make.pick([
        'wc -l',
        'basename',
        'dirname',
        'ls -la',
        'echo',
        'grep -n TODO',
        'head -2',
        'stat -c %s',
        'cat',
        'echo {}',
      ]),
    ),
}

export function filter(make: Maker): string {
  return make.from('filter', FILTER)
}
