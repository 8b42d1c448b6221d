/** Filters of jq. */

import { describe, expect, test } from 'vitest'
import { readingFinding } from '../../../../test/support/reading-verdict.js'

describe('filters of jq', () => {
  test.each([
    ["jq -n '$ ENV'", 'ask secret-variable'],
    ["jq -n '$ENV.PATH'", 'ask secret-variable'],
    ['jq -n env', 'ask secret-variable'],
    ['jq -n \'"\\(env)"\'', 'ask secret-variable'],
    ["jq -n '{a: env}'", 'ask secret-variable'],
    ["jq -n '{(env|keys[0]): 1}'", 'ask secret-variable'],
    ["jq -n '{a: if true then 1, env, 2 else 3 end}'", 'ask secret-variable'],
    ["jq -n '.[0, env : 3]'", 'ask secret-variable'],
    ['jq -n \'1 # "\n| env # "\'', 'ask secret-variable'],
    ["jq -n '1 # \\\n| env'", 'ask'],
    ['jq --args prog.jq -nf', 'ask'],
    ['jq --args . -f prog.jq a.json', 'ask'],
    ['jq --jsonargs -n -L lib .', 'ask'],
    ['jq \'import "a" as a; a::f\' a.json', 'ask'],
    ['jq \'include "a"; f\' a.json', 'ask'],
    ["jq -n 'input_filename' a.json", 'ask'],
    ["jq -n '$__prog_args'", 'ask'],
    ["jq -n 'unheard_of'", 'ask'],
    ['jq --arg x "$TOKEN" -n \'$x\'', 'ask'],
    ['jq -n "\\"$TOKEN\\""', 'ask'],
    ['jq . .env', 'ask protected-read'],
    ["jq --slurpfile a .env -n '$a'", 'ask protected-read'],
    ["jq --rawfile a secrets.json -n '$a'", 'ask protected-read'],
  ])('%s: %s', (command, expected) => {
    expect(readingFinding(command)).toContain(expected)
  })

  test.each([
    'jq . package.json',
    "jq -r '.scripts | keys[]' package.json",
    'jq \'.env.name, .["env"]\' package.json',
    "jq '{env, name: .name, env: 1}' package.json",
    'jq \'.[] | select(.a > 1 and (.b | test("x"))) | "\\(.a)-\\(.b)"\' a.json',
    "jq 'def f(x): x * 2; map(f(.)) | add // 0' a.json",
    "jq 'reduce .[] as [$a, $b] (0; . + $a * $b)' a.json",
    "jq --arg n x '.[$n] # a comment' a.json",
    'jq -r \'to_entries[] | @sh "\\(.key)", @base64\' a.json',
    'jq \'try error("x") catch .\' a.json',
    "jq '[limit(3; .[] | debug)] | if length > 1 then first else empty end' a.json",
    "jq -n '$ARGS.positional' --args a b c",
    'jq \'getpath(["a", "b"]), input_line_number, .a[1:3], ..\' a.json',
  ])('%s only reads', (command) => {
    expect(readingFinding(command)).toBe('allow')
  })
})
