import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { BudgetUsedUp, spend } from '../lib/step-budget.js'
import { Policy, type PolicyRule } from '../protocol/policy/policy.js'
import type { PermissionMode } from '../protocol/value.js'
import { Budget, withBudget } from './budget.js'
import { evaluate } from './evaluate.js'
import { emptyFileSystem, type FileSystem } from './file/file-system.js'
import { nodeFileSystem } from './file/node-file-system.js'
import { follow } from './file/path.js'
import { deception } from './file/suspicious.js'

const HOME = '/home/dev'
const CWD = '/home/dev/project'

interface Options {
  mode?: PermissionMode
  preset?: 'careful' | 'classic'
  rules?: PolicyRule[]
  ownHomes?: string[]
  cwd?: string
  fs?: FileSystem
}

function verdict(tool: string, input: unknown, options: Options = {}): string {
  const {
    mode = 'default',
    preset = 'careful',
    rules = [],
    ownHomes = [],
    cwd = CWD,
    fs = emptyFileSystem,
  } = options
  const policy = { ...Policy.parse({ preset, rules }), ownHomes }
  const found = evaluate({ tool, input, mode, cwd, home: HOME, fs }, policy)
  return `${found.verdict} ${found.rule}`
}

const bash = (command: string, options?: Options) => verdict('Bash', { command }, options)

/** More commands than the reader accepts. */
const ENDLESS = 'cat a; '.repeat(1_100)

describe('what is spent', () => {
  test('is counted until nothing is left', () => {
    const budget = new Budget()

    expect(() => withBudget(() => spend(300_001), budget)).toThrow(BudgetUsedUp)
    expect(() => budget.spend(1)).toThrow(BudgetUsedUp)
    expect(() => spend(1e9)).not.toThrow()
  })

  test('comes from one budget, however often one is asked for', () => {
    const budget = new Budget()

    withBudget(() => withBudget(() => spend(100)), budget)

    expect(budget.spent).toBe(100)
  })

  test('leaves a reserve for the decision', () => {
    const budget = new Budget()
    expect(() => budget.spend(1e9)).toThrow(BudgetUsedUp)

    budget.openReserve()

    expect(() => budget.spend(90_000)).not.toThrow()
    expect(() => budget.spend(20_000)).toThrow(BudgetUsedUp)
  })
})

describe('when the budget is used up', () => {
  test('a person is asked, in every mode and preset', () => {
    expect(bash(ENDLESS)).toBe('ask too-large')
    expect(bash(ENDLESS, { mode: 'bypassPermissions' })).toBe('ask too-large')
    expect(bash(ENDLESS, { mode: 'dontAsk' })).toBe('deny too-large')
    expect(bash(ENDLESS, { preset: 'classic' })).toBe('ask tool')
  })

  test('what was found before is denied', () => {
    expect(bash(`rm -rf ~; ${ENDLESS}`)).toBe('deny destroy-tree')
    expect(bash(`rm -rf ~; ${ENDLESS}`, { mode: 'bypassPermissions' })).toBe('deny destroy-tree')
    expect(bash(`:(){ :|:& };: ; ${ENDLESS}`)).toBe('deny fork-bomb')
    expect(bash(`rm -rf ~; ${ENDLESS}`, { preset: 'classic' })).toBe('deny destroy-tree')
    // Paths are judged from the last one on, so `.env` is found before the budget is used up.
    const paths = [...Array.from({ length: 99 }, (_, at) => `${'x/'.repeat(1_000)}${at}`), '.env']
    expect(verdict('mcp__files__delete', { path: paths }, { mode: 'bypassPermissions' })).toBe(
      'deny protected-change',
    )
  })

  test('rules that deny still hold for what was read', () => {
    const rules: PolicyRule[] = [{ name: 'no-push', verdict: 'deny', when: { commands: ['git push **'] } }]
    expect(bash(`git push; ${ENDLESS}`, { rules })).toBe('deny no-push')
    const ownHomes = [`${HOME}/.signalbox`]
    expect(bash(`cat ~/.signalbox/token; ${ENDLESS}`, { ownHomes })).toBe('deny signalbox-files')
  })

  test('nothing is allowed in a jail', () => {
    const call = {
      tool: 'Bash',
      mode: 'default' as const,
      cwd: CWD,
      home: HOME,
      fs: emptyFileSystem,
      jail: true,
    }
    expect(evaluate({ ...call, input: { command: ENDLESS } }).verdict).toBe('ask')
    expect(evaluate({ ...call, input: { command: `for i in a; do cat $i; done; ${ENDLESS}` } }).verdict).toBe(
      'ask',
    )
  })
})

const REQUIRED: Record<string, Record<string, string>> = {
  Skill: { skill: 'a' },
  Glob: { pattern: 'a' },
  Grep: { pattern: 'a' },
}

describe('a path that is longer than any file has', () => {
  const LONG = 'a/'.repeat(150_000)

  test.each([
    ['Read', 'file_path'],
    ['Write', 'file_path'],
    ['NotebookEdit', 'notebook_path'],
    ['Glob', 'path'],
    ['Glob', 'pattern'],
    ['Grep', 'path'],
    ['Grep', 'glob'],
    ['Skill', 'args'],
    ['mcp__signalbox__file_reader', 'path'],
    ['mcp__signalbox__text_edit_tool', 'path'],
    ['mcp__files__delete_file', 'path'],
  ])('is asked about as too large: %s %s', (tool, field) => {
    const others = REQUIRED[tool] ?? {}
    for (const path of [LONG, '../'.repeat(2_000), `src/${'b'.repeat(256)}`, '가'.repeat(1_500)]) {
      if (field === 'glob' || field === 'pattern' || field === 'args') continue
      expect(verdict(tool, { ...others, [field]: path }), path.slice(0, 20)).toBe('ask too-large')
    }
    expect(verdict(tool, { ...others, [field]: LONG })).toBe('ask too-large')
    expect(verdict(tool, { ...others, [field]: LONG }, { mode: 'bypassPermissions' })).toBe('ask too-large')
  })

  test.each(['cat', 'ls', 'rm -rf', 'touch', 'cd', 'grep a'])(
    'is asked about in a command: %s',
    (program) => {
      expect(bash(`${program} ${'a/'.repeat(3_000)}`)).toBe('ask too-large')
      expect(bash(`${program} '${'b'.repeat(300)}'`)).toBe('ask too-large')
    },
  )

  test('the folder of the call may not have one', () => {
    expect(verdict('Read', { file_path: 'a' }, { cwd: `/${LONG}` })).toBe('ask too-large')
  })

  test('a long path that a file can have is judged', () => {
    expect(verdict('Read', { file_path: `${'b'.repeat(255)}/${'c'.repeat(255)}` })).toBe('allow read-only')
    expect(verdict('Read', { file_path: `${'b'.repeat(200)}/.env` })).toBe('ask protected-read')
  })
})

describe('texts that once took seconds', () => {
  test.each([
    ['a path that grows when it is normalised', `cat ${'\ufdfa/'.repeat(1_000)}`],
    ['many changes of the folder', 'cd a; '.repeat(666)],
    ['many changes to a folder that is there', 'cd src;'.repeat(285)],
    ['a glob of question marks', `ls ${'?'.repeat(20_000)}`],
    ['a glob of folders', `ls ${'*/'.repeat(2_000)}`],
    ['extended patterns', `cat ${'!(a)'.repeat(250)}`],
    ['assignments to elements', 'x[1]='.repeat(10_000)],
    ['links of PowerShell', `pwsh -c '${'iex '.repeat(4_000)}'`],
    ['calls in other languages', `python3 -c '${'open('.repeat(4_000)}'`],
    ['patterns of awk', `awk '${'a/'.repeat(4_000)}' b`],
  ])('%s', (_, command) => {
    expect(bash(command).split(' ')[0]).toBe('ask')
  })

  test('long words of one script are no reason to ask', () => {
    expect(bash(`echo ${'\u0430'.repeat(10_000)}`)).toBe('allow read-only')
    expect(bash(`echo ${'\u0430'.repeat(5_000)}a`)).toBe('ask look-alike')
  })

  test('a pattern with endless braces is too large', () => {
    expect(verdict('Glob', { pattern: '{a,'.repeat(80_000) })).toBe('ask too-large')
    expect(verdict('Glob', { pattern: '{a,'.repeat(50) })).toBe('allow read-only')
    expect(verdict('Grep', { pattern: 'a', glob: '{a,'.repeat(80_000) })).toBe('ask too-large')
  })
})

test('a folder with more names than can be looked at is asked about', { timeout: 60_000 }, async () => {
  const cwd = await temporaryFolder()
  mkdirSync(join(cwd, 'many'))
  for (let index = 0; index < 10_050; index += 1) writeFileSync(join(cwd, 'many', `file-${index}.txt`), '')

  expect(bash('cat many/*', { cwd, fs: nodeFileSystem() })).toBe('ask too-large')
  expect(bash('cat many/file-1.txt', { cwd, fs: nodeFileSystem() })).toBe('allow read-only')
  expect(nodeFileSystem().list(cwd)).toEqual(['many'])
})

test('following a path spends for each of its names', () => {
  const budget = new Budget()

  withBudget(() => follow(emptyFileSystem, '/a/b/c', { last: true }), budget)

  expect(budget.spent).toBeGreaterThan(5)
})

/** The reference expression. It takes quadratic time, so the product does not use it. */
const MIXED =
  /(?=\p{Script=Latin})\p{L}[\p{L}\p{M}\d_.-]*[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}][\p{L}\p{M}\d_.-]*\p{Script=Latin}/u

test('words of several scripts are found as one expression would find them', () => {
  const letter = fc.constantFrom(...'aZ1_.- /\u0430\u0391\u0561\u13a0\u0482\u0301\uac00\u00aa'.split(''))
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 12 }), (letters) => {
      const text = letters.join('')
      expect(deception(text) !== null).toBe(MIXED.test(text))
    }),
    { numRuns: 3_000 },
  )
})
