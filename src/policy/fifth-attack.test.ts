/** Commands by which attacks on the policy got through before, each with what it would have done. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { systemEnvironment } from '../session/claude/environment.js'
import { evaluatePolicy } from './evaluate-policy.js'

/** A repository with this URL of its remote. */
async function repository(url: string): Promise<string> {
  const cwd = await temporaryFolder()
  for (const folder of ['.git/objects', '.git/refs/heads', 'src'])
    mkdirSync(join(cwd, folder), { recursive: true })
  writeFileSync(join(cwd, '.git/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(cwd, '.git/config'), `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`)
  writeFileSync(join(cwd, 'src/a.ts'), 'export {}\n')
  return cwd
}

const verdict = async (command: string, cwd: string, jail = false) =>
  (await evaluatePolicy({ tool: 'Bash', input: { command }, cwd, home: '/home/user', jail })).verdict

describe('a token in the configuration of git', () => {
  const READERS = [
    'grep -rn url .',
    'grep -r "" .',
    'find . -type f -exec cat {} +',
    'find . -name config -exec cat {} +',
    'grep -rl url . | xargs cat',
    'rg --hidden url',
    'rg -l --hidden url . | xargs cat',
    'git remote -v',
    'git remote get-url origin',
  ]

  test.each(READERS)('is not shown without asking: %s', async (command) => {
    const cwd = await repository('https://x-access-token:ghs_canary@example.com/a/b.git')
    expect(await verdict(command, cwd)).toBe('ask')
  })

  test('is not shown by the tool that reads files', async () => {
    const cwd = await repository('https://ghp_canary@example.com/a/b.git')
    const input = { file_path: join(cwd, '.git/config') }
    expect((await evaluatePolicy({ tool: 'Read', input, cwd, home: '/home/user' })).verdict).toBe('ask')
  })

  test.each([
    'grep -rn url src',
    'grep -rn url . --include=*.ts',
    'grep -rn url . --exclude-dir=.git',
    'git status --short',
  ])('does not keep other commands from running: %s', async (command) => {
    const cwd = await repository('https://x-access-token:ghs_canary@example.com/a/b.git')
    expect(await verdict(command, cwd)).toBe('allow')
  })

  test.each(['https://example.com/a/b.git', 'git@example.com:a/b.git', 'ssh://git@example.com/a/b.git'])(
    'is not suspected in %s',
    async (url) => {
      const cwd = await repository(url)
      for (const command of ['grep -rn url .', 'git remote -v', 'find . -type f -exec cat {} +'])
        expect(await verdict(command, cwd), command).toBe('allow')
    },
  )
})

describe('below a folder named .git', () => {
  test.each([
    "find . -name '*env' -exec cat {} +",
    "find . -name '*env' | xargs cat",
    'rg --files --hidden | xargs cat',
    'grep -Rl OUTSIDE sub | xargs cat',
  ])('protected files and symlinks are seen: %s', async (command) => {
    const cwd = await repository('https://example.com/a/b.git')
    mkdirSync(join(cwd, '.git/wt'))
    writeFileSync(join(cwd, '.git/wt/.env'), 'SECRET=canary\n')
    mkdirSync(join(cwd, 'sub'))
    symlinkSync('/etc', join(cwd, 'sub/.git'))
    expect(await verdict(command, cwd)).toBe('ask')
  })
})

describe('a locale in which a character may end with an ASCII byte', () => {
  test.each([
    "LC_ALL=zh_CN.GBK sed 's_中_a_;p;#_;1e touch pwned' README.md",
    'LC_ALL=zh_CN sort README.md',
    'LANG=ja_JP.SJIS grep x README.md',
    'LC_CTYPE=zh_TW.BIG5 cat README.md',
    'env LC_ALL=zh_CN.GBK sed -n 1p README.md',
    'export LC_ALL=zh_CN.GBK; sed -n 1p README.md',
    'LANGUAGE=../../x ls',
  ])('is asked: %s', async (command) => {
    const cwd = await repository('https://example.com/a/b.git')
    expect(await verdict(command, cwd)).not.toBe('allow')
  })

  test.each([
    'LC_ALL=C sort src/a.ts',
    'LANG=en_US.UTF-8 ls',
    'LC_ALL=ko_KR.utf8 cat src/a.ts',
    'LC_ALL= ls',
  ])('is not suspected in %s', async (command) => {
    const cwd = await repository('https://example.com/a/b.git')
    expect(await verdict(command, cwd)).toBe('allow')
  })

  test('does not reach sessions from the environment of the daemon', () => {
    const env = systemEnvironment({ LANG: 'ja_JP.SJIS', LC_ALL: 'ko_KR.UTF-8', PATH: '/bin' })
    expect(env).toEqual({ LC_ALL: 'ko_KR.UTF-8', PATH: '/bin' })
  })
})
