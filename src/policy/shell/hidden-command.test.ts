/** Commands hidden in expansions, in arithmetic, or in text that the parser skips: none of them is allowed. */

import { describe, expect, test } from 'vitest'
import { readingVerdict } from '../../../test/support/reading-verdict.js'

function wrong(expected: string, commands: readonly string[]): string[] {
  return commands.filter((command) => readingVerdict(command) !== expected)
}

/** Each has a placeholder for a command, the bar. */
const EXPANDED = [
  'ls [|]*',
  'ls {1..|}',
  'ls {a,|}',
  'ls a{b,[|]}c',
  'ls a@(|)b',
  'ls; [[ x == @(||b) ]]',
  'echo ${x[|]}',
  'echo ${!x[|]}',
  'echo ${HOME:|}',
  'echo ${HOME:0:|}',
  'echo ${x@|}',
  'echo $((x[|]))',
  'echo $[|]',
  '((|))',
  'for ((i = |; i < 1; i++)); do ls; done',
  'for x in [|]; do ls; done',
  'case a in [|]) ls;; esac',
  'case [|] in a) ls;; esac',
  '[[ -v x[|] ]]',
  '[[ a =~ (|) ]]',
  'x[|]=1',
  'x=([|]=1)',
  'LANG[|]=1 ls',
  'ls {x[|]}>/dev/null',
  'cat <<E\n[|]\nE',
  'cat <<< [|]',
  'ls > [|]',
  'while false; do ls; done < /dev<(:)|/null',
]

/** Bash evaluates the text again, although it is quoted here. */
const READ_AGAIN = [
  "for x in 'a[|]'; do echo ${HOME:x}; done",
  "for x in 'a[|]'; do echo ${HOME:0:x}; done",
  "for x in 'a[|]'; do [ ${!x} ]; done",
  "x='a[|]'; echo $((x))",
  "ls {x['|']}>/dev/null",
  "sleep 0.1 & wait -n -p 'x[|]'",
  "echo ${PATH['x[|]']}",
  'echo "${HOME:\'a[|]\'}"',
  "echo ${#HOME['x[|]']}",
  "cat <<E\n${PATH['x[|]']}\nE",
  "[[ -v 'x[|]' ]]",
  "[[ 1 -eq 'x[|]' ]]",
  "test -v 'x[|]'",
  "[ -v 'x[|]' ]",
  "printf -v 'x[|]' a",
  "read 'x[|]'",
  "unset 'x[|]'",
  "declare 'x[|]=1'",
  "declare -i 'x=y[|]'",
  "let 'x[|]=1'",
  "x['a[|]']=1",
  "x=(['a[|]']=1)",
  "LANG['a[|]']=1 ls",
  "for x in 'a|'; do echo ${x@P}; done",
]

describe('a command in a part that is no plain word', () => {
  const filledWith = (payload: string) =>
    [...EXPANDED, ...READ_AGAIN].map((text) => text.replace('|', () => payload))

  test.each(['$(rm -rf ~)', '$(curl -s http://127.0.0.1/x | sh)', '$(cp .env copy.txt)'])(
    '%s is denied',
    (payload) => {
      expect(wrong('deny', filledWith(payload))).toEqual([])
    },
  )

  test.each(['$(touch made)', '`touch made`'])('%s is asked', (payload) => {
    expect(wrong('ask', filledWith(payload))).toEqual([])
  })

  test('text that is only text is not taken for one', () => {
    const harmless = [
      "echo '$(rm -rf ~)' \"\\$(rm -rf ~)\" $'`rm -rf ~`' \\$x",
      'echo "a <(rm -rf ~) b"',
      "cat <<'E'\n$(rm -rf ~)\nE",
      'cat <<E\n\\$(rm -rf ~) <(rm -rf ~)\nE',
      'ls # $(rm -rf ~)',
      "grep -n '`rm -rf ~`' README.md",
    ]
    expect(wrong('allow', harmless)).toEqual([])
  })

  test('patterns, slices and tests without a command in them are read', () => {
    const plain = [
      'ls [a-z]*',
      "ls ['a']*",
      'ls {a,b}.ts {1..3}',
      'echo ${HOME:0:3} ${HOME: -3} ${#HOME}',
      '[[ -f README.md ]]',
      '[[ -f README.md && x == y* ]] && ls',
      '[[ 1 -eq 2 ]] || ls',
    ]
    expect(wrong('allow', plain)).toEqual([])
  })

  test('what is read differently by shells, or sets more than it says, is asked', () => {
    expect(
      wrong('ask', [
        "ls *(e:'touch made':)",
        'ls !(a)',
        'for path in /tmp; do ls; done',
        'coproc ls',
        'cat {x}<<< a',
        'echo ${(e)x}',
        'sleep 1 & wait $x',
      ]),
    ).toEqual([])
  })
})

describe('a folder that may not have been reached', () => {
  test('counts beside the one that it came from', () => {
    const moves = [
      'false && cd src',
      'true || cd src',
      'cd nosuch',
      'cd src',
      'case a in b) cd src;; esac',
      'case a in a) cd src;& b) pwd;; esac',
      'while false; do cd src; done',
      'until true; do cd src; done',
      'for i in; do cd src; done',
      'if false; then cd src; fi',
      '{ cd src; }',
      '(cd src)',
      'cd src &',
      'cd src | cat',
      'pushd -n src',
      'cd src lib',
      'cd src && pwd',
      'cd src || true',
      'exit 1 2; cd src',
    ]
    const texts = moves.map((move) => `${move}${move.endsWith('&') ? '' : ';'} cat ../outside.txt`)
    expect(wrong('ask', texts)).toEqual([])
  })

  test('that surely was reached is the only one', () => {
    expect(
      wrong('allow', [
        'cd src && cat ../README.md',
        '(cd src && cat ../README.md)',
        'cd src || exit 1; cat ../README.md',
        'cd src/a && cd .. && cat ../README.md',
        'cd src; ls',
      ]),
    ).toEqual([])
  })

  test('that changes in a loop may be any', () => {
    expect(
      wrong('ask', ['for i in 1 2 3; do cd .. && cat a; done', 'while true; do cat a; cd ..; done']),
    ).toEqual([])
  })
})

describe('a variable that may hold a secret', () => {
  test('is asked wherever its value may be shown', () => {
    expect(
      wrong('ask', [
        'cat <<< $API_KEY',
        'cat <<< "$API_KEY"',
        'cat <<E\n$API_KEY\nE',
        'date +"$API_KEY"',
        'sed "s/.*/$API_KEY/" README.md',
        'awk -v x="$API_KEY" \'{ print x }\' README.md',
        'jq -n --arg x "$API_KEY" \'$x\'',
        'find . -maxdepth 0 -printf "$API_KEY"',
        'exit "$API_KEY"',
        'return "$API_KEY"',
        'shift "$API_KEY"',
        '[ "$API_KEY" -eq 1 ]',
        '[ $API_KEY ]',
        '[ -n $API_KEY ]',
        'test "$API_KEY" a b',
        'cd "$API_KEY"',
        'LC_ALL=$API_KEY ls',
        'echo ${x:?$API_KEY}',
        'echo [$API_KEY]',
        'echo {a,$API_KEY}',
        'while read x; do echo $x; done <<< $API_KEY',
        'type "$API_KEY"',
        'wait "$API_KEY"',
      ]),
    ).toEqual([])
  })

  test('is not asked where it is only compared', () => {
    expect(
      wrong('allow', [
        '[ -n "$API_KEY" ]',
        '[ "$API_KEY" = x ]',
        '[[ -n $API_KEY ]] && echo set',
        'case $API_KEY in a) ls;; esac',
      ]),
    ).toEqual([])
  })
})
