/**
 * Which programs Claude Code puts functions over. The policy reads `grep` as GNU grep and as ugrep alike; a function over
 * another program, or with other options, is one that the policy does not know.
 */

import { expect, test } from 'vitest'
import { programNames } from '../../src/policy/program/table.js'
import { PLAIN } from '../../src/policy/proof/program/plain-table.js'
import { CLI_FUNCTIONS, CLI_VERSIONS, type CliFunction } from '../support/cli-function.js'
import { createRealRuntime, makeFolders } from '../support/real-runtime.js'

/** These only keep the CLI itself from being killed or listed. */
const GUARDS = ['pkill', 'pgrep', 'pidwait']
const PART = '=== part ==='

const names = [...new Set([...programNames(), ...Object.keys(PLAIN)])].filter((name) =>
  /^[\w.+-]+$/.test(name),
)
const command = [
  `for p in ${names.join(' ')}; do printf '%s %s\\n' "$p" "$(type -t -- "$p")"; done`,
  'alias',
  'declare -F',
  ...Object.keys(CLI_FUNCTIONS).map((name) => `declare -f ${name}`),
  ...Object.keys(CLI_FUNCTIONS).map((name) => `${name} --version | head -1`),
  'shopt -p extglob globskipdots expand_aliases',
].join(`; echo '${PART}'; `)

test('only the functions that the policy knows stand over programs', async () => {
  const runtime = await createRealRuntime(await makeFolders(), {
    name: 'shell',
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'done' }] },
      { reply: [{ tool: 'Bash', id: 'toolu_shell', input: { command } }] },
    ],
  })

  await runtime.run()

  const parts = (runtime.resultOf('toolu_shell')?.text ?? '').split(PART).map((part) => part.trim())
  const [kinds = '', aliases, functions = '', ...rest] = parts
  const known = Object.keys(CLI_FUNCTIONS)
  const [texts, versions] = [rest.slice(0, known.length), rest.slice(known.length, 2 * known.length)]
  const over = kinds.split('\n').flatMap((line) => /^(\S+) (?:function|alias)$/.exec(line)?.[1] ?? [])
  expect(over.filter((name) => !known.includes(name) && !GUARDS.includes(name))).toEqual([])
  expect(aliases).toBe('')
  const all = functions.split('\n').map((line) => line.replace('declare -f ', ''))
  expect(all.filter((name) => !known.includes(name) && !GUARDS.includes(name))).toEqual([])
  for (const [index, name] of known.entries()) {
    // Without a ripgrep of its own the machine has that of the CLI.
    if (name === 'rg' && texts[index] === '') continue
    expect([name, readFunction(texts[index] ?? '')]).toEqual([name, CLI_FUNCTIONS[name]])
    expect(versions[index]).toMatch(CLI_VERSIONS[name] as RegExp)
  }
  expect(parts.at(-1)).toContain('shopt -u extglob')
}, 60_000)

/** Parses a function as bash prints it. */
function readFunction(text: string): CliFunction {
  const starts = [...text.matchAll(/exec -a (\S+) (\S+)((?: [^$\s]\S*)*) \$\{1\+"\$@"\}/g)]
  const [, as = '', , words = ''] = starts[0] ?? []
  expect(new Set(starts.map(([, name, , list]) => `${name}${list}`)).size).toBe(1)
  const guard = /case "\$_cc_a" in\s+([^)]*)\)/.exec(text)?.[1] ?? ''
  return {
    as,
    words: words.split(' ').filter(Boolean),
    passes: guard.split(' | ').filter(Boolean),
  }
}
