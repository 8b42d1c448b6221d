import { expect, test } from 'vitest'
import { PROJECT_WITH_ENV } from '../../test/support/benign/project.js'
import { templates } from '../protocol/reason/template.js'
import { CAREFUL } from './evaluate.js'
import { explain } from './explain.js'
import { placedFiles } from './file/placed-files.js'
import { severityOf } from './severity.js'

const cwd = '/home/dev/project'
const fs = placedFiles(PROJECT_WITH_ENV, cwd)

function explained(command: string) {
  const call = { tool: 'Bash', input: { command }, mode: 'default' as const, cwd, home: '/home/dev', fs }
  const { verdict, findings } = explain(call, CAREFUL)
  return { verdict, findings: findings.map(({ severity, reason }) => [severity, reason]) }
}

test.each([
  [
    'git reset --hard && curl https://example.com',
    'destructive',
    'Discards uncommitted changes (git reset --hard).',
  ],
  ['npm run build; git push --force origin main', 'destructive', 'Force-pushes and rewrites origin/main.'],
  [
    'git push origin main && git push --force origin old',
    'destructive',
    'Force-pushes and rewrites origin/old.',
  ],
  ['touch a.txt && cat .env', 'serious', 'Reads .env, which is protected.'],
])('the headline of %j is its most serious finding', (command, severity, reason) => {
  const { verdict, findings } = explained(command)

  expect(verdict.reason).toBe(reason)
  expect(findings[0]).toEqual([severity, reason])
})

test('findings are listed from destructive to notice', () => {
  const { findings } = explained('touch a.txt && cat .env && rm -rf src')

  expect(findings).toEqual([
    ['destructive', 'Deletes src and everything in it.'],
    ['serious', 'Reads .env, which is protected.'],
    ['notice', 'Writes a.txt.'],
  ])
})

test('one effect is one finding: what a program does in general is not listed beside the file that it names', () => {
  expect(explained('rm -rf build').findings).toEqual([['destructive', 'Deletes build and everything in it.']])
})

test('the same effect twice in a command is listed once', () => {
  expect(explained('git reset --hard; git reset --hard').findings).toEqual([
    ['destructive', 'Discards uncommitted changes (git reset --hard).'],
  ])
})

test('every reason about a deleted file is destructive', () => {
  const codes = Object.keys(templates).filter((code) => code.startsWith('file.delete'))

  const severities = codes.map((code) =>
    severityOf({ rule: 'write', reason: { code: code as keyof typeof templates, params: {} } }),
  )

  expect(codes.length).toBeGreaterThan(10)
  expect(new Set(severities)).toEqual(new Set(['destructive']))
})
