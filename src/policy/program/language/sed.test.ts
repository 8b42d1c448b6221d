/** Scripts of sed, compared with the real sed where it is installed. */

import { describe, expect, test } from 'vitest'
import { readingFinding } from '../../../../test/support/reading-verdict.js'
import { isGnu, joinRandomly, refuses } from '../../../../test/support/real-program.js'
import { createCallEnvironment } from '../../file/call-environment.js'
import { emptyFileSystem } from '../../file/file-system.js'
import { prove } from '../../proof/prove.js'
import { readSedScript } from './sed-script.js'

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
    ["sed 's/[[.].]/]/;s/w d/x/g' README.md", 'ask'],
    ["sed 's/[^[=]=]/]/;s/w d/x/g' README.md", 'ask'],
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

test.skipIf(!isGnu('sed'))('what is taken for harmless is so to the real sed', { timeout: 60_000 }, () => {
  const parts = ['p', 'a', 'e', 'w', 'r', 'b', 't', ':', '{', '}', '!', '1', '/', '\\', '\n', ' ', ';', '#']
  const scripts = joinRandomly(
    [...parts, 's/a/b/', 'y/a/b/', '[', ']', 'e touch x', 'w x', 'I', ',', '~'],
    1500,
  )
  const harmless = scripts.filter(isHarmless)

  expect(refuses('sed', ['--sandbox', '-n', ':a e touch x'])).toBe(true)
  expect(harmless.length).toBeGreaterThan(50)
  expect(harmless.filter((script) => refuses('sed', ['--sandbox', '-n', script]))).toEqual([])
})

/** The end of a bracket expression decides where a pattern ends, and so what the rest of the script is. */
test.skipIf(!isGnu('sed'))('brackets end for us where they end for the real sed', { timeout: 60_000 }, () => {
  const parts = ['[', ']', '^', '[.', '.]', '[=', '=]', '[:', ':]', '[:alpha:]', '\\', '\\]', 'a', '-', '/']
  const scripts = joinRandomly(parts, 700).map((pattern) => `s/[${pattern}/]/;s/w d/x/g`)
  const accepted = scripts.filter((script) => isHarmless(script) || isProven(`sed '${script}' README.md`))

  expect(refuses('sed', ['--sandbox', 's/[[.].]/]/;s/w d/x/g'])).toBe(true)
  expect(accepted.length).toBeGreaterThan(50)
  expect(accepted.filter((script) => refuses('sed', ['--sandbox', script]))).toEqual([])
})

function isHarmless(script: string): boolean {
  const { isUnderstood, writes, reads, runs, runsInput } = readSedScript(script)
  return isUnderstood && writes.length + reads.length + runs.length === 0 && !runsInput
}

function isProven(command: string): boolean {
  const place = { cwd: '/home/dev/project', home: '/home/dev', fs: emptyFileSystem }
  return prove(command, createCallEnvironment(place)).isProven
}
