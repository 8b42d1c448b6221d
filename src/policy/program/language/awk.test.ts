/** Programs of awk, compared with the real awk where it is installed. */

import { describe, expect, test } from 'vitest'
import { readingFinding } from '../../../../test/support/reading-verdict.js'
import { isGnu, joinRandomly, refuses } from '../../../../test/support/real-program.js'
import { readAwkProgram } from './awk-program.js'

describe('programs of awk', () => {
  test.each([
    ['awk \'BEGIN{if(0);else /"/;system("touch pwned");/"/}\'', 'ask'],
    ['awk \'BEGIN{if(0);else /"/;system("rm -rf ~");/"/}\'', 'deny'],
    ['awk \'BEGIN{do /"/;while(0)system("touch pwned");/"/}\'', 'ask'],
    ['awk \'BEGIN{if(1)/"/;system("touch pwned");/"/}\'', 'ask'],
    ['awk \'BEGIN{a++ /"/;system("touch pwned");/"/}\'', 'ask'],
    ['awk \'/[/"]/;END{system("touch pwned")}#"\'', 'ask'],
    ['awk \'BEGIN{print "x",\n"y" > ".env"}\'', 'deny'],
    ['awk \'BEGIN{print "x",\n\n# more\n"y" > ".env"}\'', 'deny'],
    ['awk \'BEGIN{print "x" \\\n > "out.txt"}\'', 'ask write'],
    ['awk \'BEGIN{print "x" ||\n1 > "out.txt"}\'', 'ask write'],
    ['awk \'BEGIN{while((getline l < "\\056env")>0) print l}\'', 'ask protected-read'],
    ['awk \'BEGIN{while((getline l < "\\x2eenv")>0) print l}\'', 'ask'],
    ['awk \'BEGIN{while((getline l < ".e\\\nnv")>0) print l}\'', 'ask'],
    ['awk \'BEGIN{getline l < "." "env"; print l}\'', 'ask'],
    ['awk \'BEGIN{"id" | getline x; print x}\'', 'ask'],
    ['awk \'{print | "sh"}\' a.txt', 'ask'],
    ['awk \'{print |& "sh"}\' a.txt', 'ask'],
    ['awk \'BEGIN{printf("%s", "x") > ".env"}\'', 'deny'],
    ['awk \'BEGIN{print "x" >> ".env"}\'', 'deny'],
    ["awk 'BEGIN{for (k in ENVIRON) print ENVIRON[k]}'", 'ask secret-variable'],
    ['awk \'BEGIN{print PROCINFO["pid"]}\'', 'ask'],
    ['awk \'@load "filefuncs"; BEGIN{print 1}\'', 'ask'],
    ['awk \'@include "x.awk"\'', 'ask'],
    ['awk \'BEGIN{f="system"; @f("touch pwned")}\'', 'ask'],
    ["awk 'BEGIN{unknown(1)}'", 'ask'],
    ["awk 'BEGIN{print `id`}'", 'ask'],
    ['awk -v x="$TOKEN" \'BEGIN{print x}\'', 'ask'],
    ['awk -f prog.awk a.txt', 'ask'],
    ["awk -i inplace '{print}' a.txt", 'ask'],
  ])('%s: %s', (command, expected) => {
    expect(readingFinding(command)).toContain(expected)
  })

  test.each([
    "awk '{print $1}' a.txt",
    "awk -F: '{print $1/$2/$3}' a.txt",
    "awk '{s+=$1} END {print s/NR, s/1024/1024}' a.txt",
    "awk '/start/,/end/' a.txt",
    "awk '/[^/]+/ {print $0}' a.txt",
    "awk 'NR>=10 && NR<=20' a.txt",
    "awk '$3 > 5 {print $1, $2}' a.txt",
    'awk \'length($0) > 80 {print FILENAME":"FNR}\' a.txt',
    "awk '{a[$1]++} END {for (k in a) print k, a[k]}' a.txt",
    'awk \'BEGIN {printf "%d\\t%s\\n", 1, "x"}\'',
    "awk '!seen[$0]++' a.txt",
    "awk 'function f(x) {return x*2} {print f($1)}' a.txt",
    'awk \'{gsub(/a/, "b"); print toupper($0)}\' a.txt',
    'awk \'{if ($1 ~ /x/) print; else if ($2 == "y") print $2}\' a.txt',
  ])('%s only reads', (command) => {
    expect(readingFinding(command)).toBe('allow')
  })
})

test.skipIf(!isGnu('gawk'))('what is taken for harmless is so to the real awk', { timeout: 60_000 }, () => {
  const parts = [
    'print ',
    '"x"',
    ' > ',
    '"y"',
    'system("id")',
    '/',
    '"',
    '\n',
    ',',
    '\\\n',
    '(',
    ')',
    ';',
    'if(1)',
  ]
  const more = [
    'else ',
    'do ',
    'while(0)',
    'a',
    '1',
    '++',
    '[',
    ']',
    '#',
    '|',
    'getline',
    '<',
    '||',
    '?',
    ':',
    '$1',
  ]
  const programs = joinRandomly([...parts, ...more], 250).map((text) => `BEGIN{${text}}`)
  const harmless = programs.filter((program) => readAwkProgram(program).length === 0)

  expect(refuses('gawk', ['-S', 'BEGIN{print "x" > "y"}'])).toBe(true)
  expect(harmless.length).toBeGreaterThan(20)
  expect(harmless.filter((program) => refuses('gawk', ['-S', program]))).toEqual([])
})
