/** Programs inside a command: the scripts of sed, awk and jq, with the real programs as witnesses where they are here. */

import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { readingFinding } from '../../../test/support/reading-verdict.js'
import { readAwkProgram } from './language/awk-program.js'
import { readSedScript } from './language/sed-script.js'

describe('scripts of sed', () => {
  test.each([
    ["sed -n ':a e touch pwned' README.md", 'ask'],
    ["sed -n ':a w .env' README.md", 'deny'],
    ["sed -n ':a e rm -rf ~' README.md", 'deny'],
    ["sed -n 't x e touch pwned\n:x' README.md", 'ask'],
    ["sed -n 'b x w .env\n:x' README.md", 'deny'],
    ["sed -n 'T x e rm -rf ~\n:x' README.md", 'deny'],
    ["sed -n ':a}e touch pwned' README.md", 'ask'],
    ["sed -n 'p;w .env' README.md", 'deny'],
    ["sed -n 'p w .env' README.md", 'deny'],
    ["sed 's/a/b/w .env' README.md", 'deny'],
    ["sed 's/a/b/e' README.md", 'ask'],
    ["sed '1e rm -rf ~' README.md", 'deny'],
    ["sed 'r .env' README.md", 'ask protected-read'],
    ["sed 'R .env' README.md", 'ask protected-read'],
    ["sed '1!!p' README.md", 'ask'],
    ["sed 'v' README.md", 'ask'],
    ["sed 'k' README.md", 'ask'],
    ["sed 'a\\  \ne touch pwned' README.md", 'ask'],
    ["sed 'a\ne touch pwned' README.md", 'ask'],
    ["sed 'a foo\ne touch pwned' README.md", 'ask'],
    ["sed 'y/a/b/e touch pwned' README.md", 'ask'],
    ["sed '/[/]/e touch pwned' README.md", 'ask'],
    ["sed 's/a\nb/c/' README.md", 'ask'],
    ["sed '{p' README.md", 'ask'],
    ["sed 'p}' README.md", 'ask'],
    ['sed --posix -n p README.md', 'ask option'],
    ['sed -f x.sed README.md', 'ask'],
    ['sed -i s/a/b/ README.md', 'ask'],
    ['sed -i s/a/b/ .env', 'deny'],
    ['sed "s/.*/$TOKEN/" README.md', 'ask'],
    ['sed -n "${LINE}p" README.md', 'ask'],
  ])('%s: %s', (command, expected) => {
    expect(readingFinding(command)).toContain(expected)
  })

  test.each([
    "sed -n '1,20p' README.md",
    "sed -n '/^## /p;$p' README.md",
    "sed -n '0~4p' README.md",
    "sed -n '1,~4p' README.md",
    "sed -n '/a/,+3p' README.md",
    "sed -n '/a/I,/b/Mp' README.md",
    "sed -n '\\|a/b|p' README.md",
    "sed 's/a/b/g; s|c|d|I ; s,e,f,2gp' README.md",
    "sed -E -e 's/(a+)/<\\1>/' -e '/^$/d' README.md",
    "sed -n '/start/,/end/{/start/!{/end/!p}}' README.md",
    "sed ':a;N;$!ba;s/\\n/ /g' README.md",
    "sed -e ':a' -e '$!{N;ba' -e '}' README.md",
    "sed '5q' README.md",
    "sed -n '5{p;q}' README.md",
    "sed -n '$=' README.md",
    "sed '/x/a\\\nnew line' README.md",
    "sed '1i header' README.md",
    "sed 'y/abc/xyz/' README.md",
    "sed -n 'l 80;x;G;h;F;z' README.md",
    "sed '# nothing\np' README.md",
    "sed -s -n -z '1!G;h;$!d' README.md",
    "sed 's/[^/]*$//' README.md".replace('[^/]*', '[^.]*'),
    "sed -n 'w /dev/stdout' README.md",
  ])('%s only reads', (command) => {
    expect(readingFinding(command)).toBe('allow')
  })
})

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

/** The programs have a mode in which they refuse what writes, reads other files or runs: it says what was overlooked. */
describe('what is taken for harmless is so to the real program', () => {
  const isHere = (program: string) =>
    /GNU/.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')
  const refuses = (program: string, args: readonly string[]) =>
    /sandbox/.test(spawnSync(program, args, { input: 'a\n', encoding: 'utf8', timeout: 10_000 }).stderr)

  test.skipIf(!isHere('sed'))('sed', { timeout: 60_000 }, () => {
    const parts = ['p', 'a', 'e', 'w', 'r', 'b', 't', ':', '{', '}', '!', '1', '/', '\\', '\n', ' ', ';', '#']
    const scripts = generate(
      [...parts, 's/a/b/', 'y/a/b/', '[', ']', 'e touch x', 'w x', 'I', ',', '~'],
      1500,
    )
    const harmless = scripts.filter((script) => {
      const { isUnderstood, writes, reads, runs, runsInput } = readSedScript(script)
      return isUnderstood && writes.length + reads.length + runs.length === 0 && !runsInput
    })

    expect(refuses('sed', ['--sandbox', '-n', ':a e touch x'])).toBe(true)
    expect(harmless.length).toBeGreaterThan(50)
    expect(harmless.filter((script) => refuses('sed', ['--sandbox', '-n', script]))).toEqual([])
  })

  test.skipIf(!isHere('gawk'))('awk', { timeout: 60_000 }, () => {
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
    const programs = generate([...parts, ...more], 250).map((text) => `BEGIN{${text}}`)
    const harmless = programs.filter((program) => readAwkProgram(program).length === 0)

    expect(refuses('gawk', ['-S', 'BEGIN{print "x" > "y"}'])).toBe(true)
    expect(harmless.length).toBeGreaterThan(20)
    expect(harmless.filter((program) => refuses('gawk', ['-S', program]))).toEqual([])
  })
})

function generate(parts: readonly string[], count: number): string[] {
  let state = 7
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + below(8) }, () => parts[below(parts.length)]).join(''),
  )
}
