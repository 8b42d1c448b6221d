/**
 * Findings that the read-only jail contains: those about reading. Findings about running code or writing are never
 * contained.
 */

import { expect, test } from 'vitest'
import { bashCall } from '../../../test/support/bash-call.js'
import { judgeCall } from '../evaluate.js'

function findingsOf(command: string) {
  return judgeCall(bashCall(command)).findings
}

test.each([
  'F=src/a.ts; wc -l "$F"',
  'DIR=src; ls -la "$DIR"',
  'N=$(wc -l < src/a.ts); echo "$N"',
  'x=hello; echo "${x^^} ${#x}"',
  'files=(src/*.ts); echo "${#files[@]}"',
  'while read -r line; do echo "$line"; done < README.md',
  'while IFS= read -r f; do wc -l "$f"; done < list.txt',
  'while IFS=, read -r a b; do echo "$a"; done < data.csv',
  'for F in a b; do wc -l "$F"; done',
  'for f in $(git ls-files); do wc -l "$f"; done',
  'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done',
  'mapfile -t lines < README.md; echo "${#lines[@]}"',
  'set -euo pipefail; ls',
  'cd src; cat ../README.md',
  'cat $x',
  'echo $API_KEY',
  'less -F README.md',
  'more README.md',
])('it contains all that is found in %s', (command) => {
  const findings = findingsOf(command)

  expect(findings).not.toEqual([])
  expect(findings.filter(({ isContained }) => isContained !== true)).toEqual([])
})

test.each([
  'PATH=/tmp; ls',
  "less '+!id' README.md",
  'less -k keys README.md',
  'less -oout README.md',
  'LD_PRELOAD=x ls',
  'GIT_DIR=x git status',
  'export F=1; ls',
  'F=ls; $F',
  'x=./run; "$x" a',
  '$x a',
  'cat $x > out.txt',
  'read PATH < file',
  'read -a x[0] < file',
  "read 'x[$(id)]' < file",
  'mapfile -C run x < file',
  'mapfile PATH < file',
  'set -a; F=1; ls',
  'set -- a b',
  'for PATH in a; do ls; done',
  'select x in a; do ls; done',
  "x='a[$(./run)]'; echo $((x))",
  "x=0; while true; do echo $((x)); x='a[$(./run)]'; done",
  "x=0; for i in 1 2; do echo ${HOME:x}; x='a[$(./run)]'; done",
  'read x < file; echo $((x))',
  'read x < file; echo ${HOME:x}',
  'read x < file; echo ${!x}',
  'x=$(cat file); [[ $x -eq 1 ]]',
  'ls [$(./run)]',
  'for ((i = 0; i < 3; i++)); do ls; done',
])('something in %s is not contained', (command) => {
  expect(findingsOf(command).some(({ isContained }) => isContained !== true)).toBe(true)
})
