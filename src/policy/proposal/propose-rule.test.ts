import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PROJECT_WITH_ENV } from '../../../test/support/benign/project.js'
import type { RuleScope } from '../../protocol/policy/policy-body.js'
import { CAREFUL, evaluate } from '../evaluate.js'
import { placedFiles } from '../file/placed-files.js'
import { previewRule } from './preview-rule.js'
import { proposeRule, scopesFor } from './propose-rule.js'

const cwd = '/home/dev/project'
const fs = placedFiles(PROJECT_WITH_ENV, cwd)

function callOf(command: string) {
  return { tool: 'Bash', input: { command }, mode: 'default' as const, cwd, home: '/home/dev', fs }
}

function ruleFor(command: string, scope: RuleScope) {
  const rule = proposeRule(callOf(command), { scope })
  if (rule === null) throw new Error(`No rule for ${command}`)
  return rule
}

function isAllowed(command: string, rules: ReturnType<typeof ruleFor>[] = []): boolean {
  return evaluate(callOf(command), { ...CAREFUL, rules }).verdict === 'allow'
}

describe('the narrowest rule', () => {
  test('names exactly the commands that were shown, not their programs', () => {
    const command = 'rm -rf build && git push --force origin main'

    const [narrowest] = scopesFor(callOf(command))
    const rule = ruleFor(command, 'exact')

    expect(narrowest).toBe('exact')
    expect(rule.when).toEqual({ tools: ['Bash'], commands: ['rm -rf build', 'git push --force origin main'] })
    expect(isAllowed(command, [rule])).toBe(true)
    for (const other of ['rm -rf src', 'git push --delete origin main', 'git push --force origin other'])
      expect([other, isAllowed(other, [rule])]).toEqual([other, false])
  })

  test('names one file, where the call changes one', () => {
    const call = { ...callOf(''), tool: 'Write', input: { file_path: `${cwd}/src/new.ts`, content: '' } }
    expect(scopesFor(call)).toEqual(['exact', 'pattern'])
    expect(proposeRule(call, { scope: 'exact' })?.when).toEqual({ tools: ['Write'], paths: ['src/new.ts'] })
  })

  test('does not exist for a command with a word that is known only when it runs', () => {
    expect(scopesFor(callOf('rm -rf "$DIR"'))).toEqual([])
    expect(proposeRule(callOf('rm -rf "$DIR"'), { scope: 'exact' })).toBeNull()
  })
})

test('the same program and flags leave operands open, never the verb or an option', () => {
  expect(ruleFor('rm -rf build', 'flags').when.commands).toEqual(['rm -rf [!-]*'])
  expect(ruleFor('git push --force origin main', 'flags').when.commands).toEqual([
    'git push --force [!-]* [!-]*',
  ])
  expect(ruleFor('npm run build', 'flags').when.commands).toEqual(['npm run build'])
})

test('a rule for a folder holds only there, and one with a time ends', () => {
  const until = '2026-11-20T00:00:00.000Z'
  const rule = proposeRule(callOf('npm run build'), { scope: 'exact', isInFolder: true, until })
  expect(rule).toMatchObject({ until, when: { workspaces: [cwd] } })
  const verdictAt = (place: string, now?: string) =>
    evaluate({ ...callOf('npm run build'), cwd: place, now }, { ...CAREFUL, rules: rule ? [rule] : [] })
      .verdict

  expect(verdictAt(cwd, '2026-11-19T23:59:59.999Z')).toBe('allow')
  expect(verdictAt(cwd, until)).toBe('ask')
  expect(verdictAt(cwd)).toBe('ask')
  expect(verdictAt('/home/dev/other', '2026-11-19T00:00:00.000Z')).toBe('ask')
})

describe('the preview', () => {
  test('lists what a wider rule would allow, the destructive calls marked', () => {
    const rule = ruleFor('rm -rf build', 'flags')

    const { after, nearby } = previewRule(callOf('rm -rf build'), CAREFUL, rule)

    expect(after).toBe('allow')
    expect(nearby).toContainEqual({
      kind: 'operand',
      title: 'rm -rf src',
      before: 'ask',
      after: 'allow',
      severity: 'destructive',
    })
    for (const title of ['rm -rf ../other', 'rm -rf .env', 'rm build'])
      expect(nearby.find((call) => call.title === title)?.after).not.toBe('allow')
  })

  test('says that no rule can allow a call whose effect no rule lifts', () => {
    const { after } = previewRule(callOf('cat .env'), CAREFUL, ruleFor('cat .env', 'exact'))
    expect(after).not.toBe('allow')
  })

  const programs = [
    'rm -rf',
    'git push',
    'git push --force',
    'npm run',
    'touch',
    'cp',
    'chmod +x',
    'curl -s',
    'make',
    'sed -i s/a/b/',
  ]
  const words = [
    'build',
    'src',
    'other',
    'origin',
    'main',
    'a.txt',
    '-r',
    '-f',
    '--force',
    '--all',
    '../x',
    '/etc/hosts',
    '.env',
  ]
  const commands = fc
    .tuple(
      fc.constantFrom(...programs),
      fc.array(fc.constantFrom('build', 'src', 'origin', 'main', 'a.txt'), { minLength: 1, maxLength: 2 }),
    )
    .map(([program, operands]) => [...program.split(' '), ...operands])
  /** One change of the words, and how the preview would name it. */
  const changes = fc.record({
    at: fc.nat(6),
    word: fc.constantFrom(...words),
    how: fc.constantFrom('replace', 'add', 'drop'),
  })

  function changed(
    given: readonly string[],
    { at, word, how }: { at: number; word: string; how: string },
  ): string[] {
    const place = 1 + (at % given.length)
    if (how === 'drop') return given.toSpliced(Math.min(place, given.length - 1), 1)
    return given.toSpliced(place, how === 'add' ? 0 : 1, word)
  }

  test('an exact rule allows nothing but the words that were shown', () => {
    fc.assert(
      fc.property(commands, changes, (given, change) => {
        const rule = ruleFor(given.join(' '), 'exact')
        const other = changed(given, change).join(' ')
        fc.pre(other !== given.join(' '))
        return !isAllowed(other, [rule]) || isAllowed(other)
      }),
      { numRuns: 400 },
    )
  })

  test('whatever a proposed rule allows beyond the call is of a kind that the preview lists as allowed', () => {
    fc.assert(
      fc.property(
        commands,
        changes,
        fc.constantFrom<RuleScope>('flags', 'pattern'),
        (given, change, scope) => {
          const command = given.join(' ')
          const rule = ruleFor(command, scope)
          const other = changed(given, change)
          fc.pre(other.join(' ') !== command)
          if (!isAllowed(other.join(' '), [rule]) || isAllowed(other.join(' '))) return true
          const { nearby } = previewRule(callOf(command), CAREFUL, rule)
          const isOperand =
            other.length === given.length &&
            other.every((word, at) => word === given[at] || !word.startsWith('-'))
          const listed = nearby.filter(({ before, after }) => before !== 'allow' && after === 'allow')
          return isOperand && listed.some(({ kind }) => kind === 'operand')
        },
      ),
      { numRuns: 400 },
    )
  })
})
