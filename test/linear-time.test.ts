/**
 * No text of others makes the product slow: every way in is fed hostile texts of growing size. A verdict of the policy takes a bounded
 * time whatever the text is; everything else takes time that grows no faster than the text. Measured in CPU time, with a wide margin.
 * Each run takes a part of the texts; HOSTILE=full takes all of them.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSecretSet } from '../src/lib/redact/secret-set.js'
import { mentionsIn, wordsAsPaths } from '../src/lib/text/mention.js'
import { normalizeText } from '../src/lib/text/normalize.js'
import { printable } from '../src/lib/text/printable.js'
import { hasPhrases, phrasesOf, splitWords } from '../src/lib/text/search-text.js'
import { wordsOf } from '../src/lib/text/split-words.js'
import { evaluate, judgeCall } from '../src/policy/evaluate.js'
import { explain } from '../src/policy/explain.js'
import { nodeFileSystem } from '../src/policy/file/node-file-system.js'
import { plainSpelling } from '../src/policy/file/spelling.js'
import { deception } from '../src/policy/file/suspicious.js'
import { grantFor } from '../src/policy/rule/grant.js'
import { suggestRule } from '../src/policy/rule/suggest-rule.js'
import { Policy, type PolicyRule } from '../src/protocol/policy/policy.js'
import { snippetOf } from '../src/protocol/search.js'
import { describeCall } from '../src/protocol/view/describe.js'
import { HOSTILE_UNITS, hostileText } from './support/hostile-text.js'
import { leastTime } from './support/processor-time.js'
import { temporaryFolder } from './support/temporary-folder.js'
import { share } from './support/when-done.js'

const SIZES = [1_000, 16_000, 256_000] as const
/** The budget of a verdict is about 20 ms. Five times that on a busy machine. */
const MAX_VERDICT_MS = 100

const workspace = share(async () => {
  const cwd = await temporaryFolder()
  mkdirSync(join(cwd, 'src'))
  mkdirSync(join(cwd, 'a', 'a'), { recursive: true })
  for (let index = 0; index < 300; index += 1) writeFileSync(join(cwd, 'src', `f${index}.ts`), '')
  writeFileSync(join(cwd, '.env'), '')
  return cwd
})

/** Rules and grants are compared with every command and every finding. */
const RULES: PolicyRule[] = [
  { name: 'builds', verdict: 'allow', when: { commands: ['npm run *', 'make **', 'cat -**'] } },
  { name: 'docs', verdict: 'allow', when: { paths: ['docs/**'], access: ['read', 'write'] } },
  { name: 'private', verdict: 'deny', when: { paths: ['private/**', '**/*.key'] } },
  { name: 'force', verdict: 'ask', when: { commands: ['git push ** --force **'] } },
]
const POLICY = {
  ...Policy.parse({ preset: 'careful' }),
  ownHomes: ['/home/dev/.signalbox'],
  rules: RULES,
}
const GRANTS = [
  { tool: 'Bash', command: 'touch FILE…', words: ['touch'], files: true as const, findings: ['write'] },
  {
    tool: 'Bash',
    command: 'npm test',
    words: ['npm', 'test'],
    folder: '/a',
    findings: ['program', 'option'],
  },
]

function callOf(tool: string, input: unknown) {
  const place = { mode: 'default' as const, cwd: workspace(), home: '/home/dev' }
  return { tool, input, ...place, grants: GRANTS, jail: true, fs: nodeFileSystem() }
}

type WayIn = readonly [name: string, run: (text: string) => unknown]

const PARTS = process.env['HOSTILE'] === 'full' ? 1 : 6
let round = 0

/** Another part of them each time, so that all of them are seen by some way in and in some size. */
function someUnits(units = HOSTILE_UNITS): readonly string[] {
  round += 1
  return units.filter((_, index) => (index + round) % PARTS === 0)
}

interface Expected {
  sizes?: readonly number[]
  units?: readonly string[]
  /** How many verdicts a run makes. */
  verdicts?: number
}

/** Where it is slow: the unit and the size. */
function slowVerdicts(
  run: (text: string) => unknown,
  { sizes = SIZES, units = HOSTILE_UNITS, verdicts = 1 }: Expected = {},
): string[] {
  const limit = verdicts * MAX_VERDICT_MS
  // Compiled before it is measured: the first verdicts of a process take several times as long.
  for (let count = 0; count < 20; count += 1) run('a')
  return sizes.flatMap((size) =>
    someUnits(units).flatMap((unit) => {
      const text = hostileText(unit, size)
      const ms = leastTime(() => run(text), limit)
      return ms > limit ? [`${JSON.stringify(unit)} x ${size}: ${Math.round(ms)} ms`] : []
    }),
  )
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command', 'description'],
  Monitor: ['command'],
  PowerShell: ['command'],
  Read: ['file_path'],
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'path', 'old_string'],
  NotebookEdit: ['notebook_path'],
  Glob: ['pattern', 'path'],
  Grep: ['pattern', 'path', 'glob', 'type', 'output_mode'],
  Skill: ['skill', 'args'],
  WebFetch: ['url', 'prompt'],
  WebSearch: ['query'],
  mcp__signalbox__file_reader: ['path'],
  mcp__signalbox__directory_lister: ['targetPath'],
  mcp__signalbox__text_edit_tool: ['path'],
  mcp__files__delete_file: ['path', 'file'],
  mcp__files__run_shell: ['command', 'args'],
  UnknownTool: ['anything'],
}
const NEEDED: Readonly<Record<string, unknown>> = {
  Grep: { output_mode: 'content' },
  Glob: {},
  Skill: { skill: 'a' },
}

describe('a verdict on a field of a tool', () => {
  const ways = Object.entries(FIELDS).flatMap(([tool, fields]) =>
    fields.map((field) => [tool, field] as const),
  )

  test.each(ways)('%s %s', { timeout: 120_000 }, (tool, field) => {
    const inputOf = (text: string) => ({ pattern: 'a', ...(NEEDED[tool] as object), [field]: text })
    expect(slowVerdicts((text) => evaluate(callOf(tool, inputOf(text)), POLICY))).toEqual([])
  })

  test.each<WayIn>([
    ['the name of a tool', (text) => evaluate(callOf(text, {}), POLICY)],
    ['the name of a field', (text) => evaluate(callOf('mcp__a__b', { [text]: text }), POLICY)],
    ['a list of texts', (text) => evaluate(callOf('Edit', { path: piecesOf(text) }), POLICY)],
    ['many fields', (text) => evaluate(callOf('mcp__a__delete', Object.assign({}, piecesOf(text))), POLICY)],
    ['the folder', (text) => evaluate({ ...callOf('Read', { file_path: 'a' }), cwd: `/${text}` }, POLICY)],
    ['the home', (text) => evaluate({ ...callOf('Read', { file_path: '~/a' }), home: `/${text}` }, POLICY)],
    ['the findings of a command', (text) => judgeCall(callOf('Bash', { command: `cat ${text}` }))],
    ['a rule from a command', (text) => suggestRule(callOf('Bash', { command: `touch ${text}` }))],
    ['a grant for a command', (text) => grantFor(callOf('Bash', { command: `touch ${text}` }))],
  ])('%s', { timeout: 120_000 }, (_, run) => {
    expect(slowVerdicts(run)).toEqual([])
  })

  test('the explanation of a command', { timeout: 120_000 }, () => {
    const run = (text: string) => explain(callOf('Bash', { command: text }), POLICY)
    expect(slowVerdicts(run, { verdicts: 3 })).toEqual([])
  })
})

function piecesOf(text: string): string[] {
  return Array.from({ length: text.length / 50 }, (_, index) => text.slice(index * 50, index * 50 + 50))
}

/** Texts in the places of a command that have readers of their own. */
const COMMANDS: readonly string[] = [
  'cat {}',
  'rm -rf {}',
  'ls -{}',
  'echo "{}"',
  "echo '{}' | sh",
  "sed '{}' a",
  "awk '{}' a",
  `awk '{ print "{}" }' a`,
  "jq '{}' a",
  "find . -name '{}'",
  'find . -exec {} ;',
  "git log '{}'",
  "git show 'HEAD:{}' -- {}",
  "git -c '{}' status",
  "git commit -m '{}'",
  "grep -r '{}' --include='{}' .",
  "rg -g '{}' a",
  "bash -c '{}'",
  "eval '{}'",
  "python3 -c '{}'",
  "node -e '{}'",
  "ssh a '{}'",
  "vim -c '{}' a",
  "sqlite3 a '{}'",
  "curl -d '{}' {}",
  "tar -cf '{}' {}",
  "docker run -v '{}' a '{}'",
  "env A='{}' ls",
  'echo {} | xargs cat',
  "echo '{}' | tr '{}' b",
  'cat > a <<EOF\n{}\nEOF',
  'f() { {} ; }; f',
  'for i in {}; do cat $i; done',
  'a=({}); cat "${a[@]}"',
  "x='{}'; cat $x ${x#*a} ${x%%a*} ${x//a/b}",
  'echo ${a:-{}}',
  'echo $(({}))',
  '[[ {} ]]',
  'case a in {}) ls;; esac',
  'ls > {}',
  "ln -s '{}' b; cat b/x",
  "read '{}' <<< '{}'",
  'A={} ls',
  'cat a | {}',
]

describe('a verdict on a part of a command', () => {
  test.each(COMMANDS)('%s', { timeout: 120_000 }, (template) => {
    const run = (text: string) =>
      evaluate(callOf('Bash', { command: template.replaceAll('{}', () => text) }), POLICY)
    expect(slowVerdicts(run, { sizes: [4_000, 60_000] })).toEqual([])
  })
})

describe('a verdict with a rule', () => {
  const CALLS: readonly (readonly [tool: string, input: unknown])[] = [
    ['Bash', { command: 'cat src/index.ts README.md && npm test -- --watch' }],
    ['Bash', { command: `grep -r a src/*.ts; npm run ${'a '.repeat(500)}` }],
    ['Write', { file_path: `${'a'.repeat(200)}${'/b'.repeat(900)}` }],
  ]
  const ways = (['paths', 'commands', 'tools', 'workspaces'] as const).flatMap((condition) =>
    (['deny', 'allow'] as const).map((verdict) => [verdict, condition] as const),
  )

  test.each(ways)('that has to %s by its %s', { timeout: 120_000 }, (verdict, condition) => {
    const run = (text: string) => {
      const when = { [condition]: [text, `src/${text}`, `** ${text} **  a`] }
      const rules: PolicyRule[] = [{ name: 'a', verdict, when }]
      for (const [tool, input] of CALLS) evaluate(callOf(tool, input), { ...POLICY, rules })
    }
    const units = HOSTILE_UNITS.filter((unit) => /[*?[{(/\\ ]/.test(unit))
    expect(slowVerdicts(run, { sizes: [200, 4_000], units, verdicts: CALLS.length })).toEqual([])
  })
})

test('a verdict with many rules, many words and many files is bounded as well', () => {
  const rules: PolicyRule[] = Array.from({ length: 500 }, (_, index) => ({
    name: `r${index}`,
    verdict: 'deny',
    when: { commands: [`** x${index} ** y ** z`], paths: [`**/{a,b}/*${index}*/**`] },
  }))
  const command = `cat ${Array.from({ length: 3_000 }, (_, index) => `src/f${index}.ts`).join(' ')}`
  const run = () => evaluate(callOf('Bash', { command }), { ...POLICY, rules })

  expect(run()).toMatchObject({ verdict: 'ask', rule: 'too-large' })
  expect(leastTime(run, MAX_VERDICT_MS)).toBeLessThan(MAX_VERDICT_MS)
})

describe('time that grows with the text', () => {
  const [, SMALL, LARGE] = SIZES
  const book = createSecretSet([
    'the-known-secret',
    ...Array.from({ length: 500 }, (_, index) => `known-${index}-secret`),
  ])

  test.each<WayIn>([
    ['redacting', (text) => book.redact(text)],
    ['redacting what a client has sent', (text) => book.redactEcho(text)],
    ['indexing for the search', splitWords],
    ['reading a query', phrasesOf],
    ['looking for phrases', (text) => hasPhrases(text, phrasesOf(text.slice(0, 500)))],
    ['showing a hit', (text) => snippetOf(text, text.slice(0, 500))],
    ['the title of a call', (text) => describeCall('Bash', { command: text }, '/a')],
    ['showing a text', printable],
    [
      'normalising',
      (text) => [normalizeText(text, 'NFKC'), normalizeText(text, 'NFD'), normalizeText(text, 'NFC')],
    ],
    ['the words of a name', wordsOf],
    ['the spelling of a path', plainSpelling],
    ['looking for characters that deceive', deception],
    ['the mentions of a message', (text) => mentionsIn(text)],
    ['the arguments of a skill', (text) => wordsAsPaths(text)],
  ])('%s', { timeout: 120_000 }, (_, run) => {
    const slow = someUnits().flatMap((unit) => {
      const small = leastTime(() => run(hostileText(unit, SMALL)), 0.2)
      const allowed = (LARGE / SMALL) * 5 * Math.max(small, 0.5)
      const large = leastTime(() => run(hostileText(unit, LARGE)), allowed)
      return large > allowed
        ? [`${JSON.stringify(unit)}: ${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`]
        : []
    })
    expect(slow).toEqual([])
  })
})

test('a way in that takes quadratic time would be found', () => {
  const quadratic = (text: string) => {
    let sum = 0
    for (let at = 0; at < text.length; at += 200)
      for (let to = at; to < text.length; to += 1) sum += text.charCodeAt(to)
    return sum
  }

  expect(leastTime(() => quadratic(hostileText('a', 256_000)), MAX_VERDICT_MS, 2)).toBeGreaterThan(
    MAX_VERDICT_MS,
  )
})
