/** No allowed command shows a password or token that is in the configuration of git, wherever git reads it from. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { evaluate } from '../../evaluate.js'
import { settingsIn } from '../../file/git-settings.js'
import { nodeFileSystem } from '../../file/node-file-system.js'

const TOKEN = 'ghs_canary'

interface Place {
  home: string
  cwd: string
}

async function makePlace(url: string): Promise<Place> {
  const home = await temporaryFolder()
  const cwd = join(home, 'project')
  mkdirSync(cwd)
  git({ home, cwd }, 'git init -q; git config user.name dev')
  git({ home, cwd }, `git remote add origin ${url}`)
  return { home, cwd }
}

function git({ home, cwd }: Place, command: string): string {
  const env = { PATH: process.env['PATH'], HOME: home }
  return spawnSync('bash', ['-c', command], { cwd, env }).stdout.toString()
}

function verdictOf({ home, cwd }: Place, command: string): string {
  const call = { tool: 'Bash', input: { command }, mode: 'default' as const, cwd, home, fs: nodeFileSystem() }
  return evaluate(call).verdict
}

const SHOWING = [
  'git config --get remote.origin.url',
  'git config remote.origin.url',
  'git config --get-all remote.origin.url',
  'git config --local remote.origin.url',
  'git config --get Remote.origin.URL',
  'git config --list --local',
  'git config -l --local --show-origin',
  "git config --local --get-regexp '^remote'",
  'git remote -v',
  'git remote get-url origin',
]

const CLEAN_URL = 'https://example.com/a.git'

describe('a token', () => {
  test('in the URL of a remote is not shown', async () => {
    const place = await makePlace(`https://user:${TOKEN}@example.com/a.git`)

    expect(SHOWING.filter((command) => git(place, command).includes(TOKEN))).toEqual(SHOWING)
    expect(SHOWING.filter((command) => verdictOf(place, command) === 'allow')).toEqual([])
  })

  test('in a setting that is no setting of git, or in an alias, is not shown', async () => {
    const place = await makePlace(CLEAN_URL)
    const settings = `[user]\n  password = ${TOKEN}\n[core]\n  mine = ${TOKEN}\n[alias]\n  up = !curl -H 'Authorization: ${TOKEN}' x\n`
    writeFileSync(join(place.home, '.gitconfig'), settings)
    const commands = ['git config user.password', 'git config --get core.mine', 'git help -a']

    expect(commands.filter((command) => git(place, command).includes(TOKEN))).toEqual(commands)
    expect(commands.filter((command) => verdictOf(place, command) === 'allow')).toEqual([])
  })

  test('in the settings of the user is not shown with the URL of a remote', async () => {
    const place = await makePlace(CLEAN_URL)
    const settings = `[url "https://${TOKEN}@example.com/"]\n  insteadOf = https://example.com/\n`
    writeFileSync(join(place.home, '.gitconfig'), settings)
    const commands = ['git remote -v', 'git remote get-url origin']

    expect(commands.filter((command) => git(place, command).includes(TOKEN))).toEqual(commands)
    expect(commands.filter((command) => verdictOf(place, command) === 'allow')).toEqual([])
  })

  test('in a file that the settings include is not shown', async () => {
    const place = await makePlace(CLEAN_URL)
    writeFileSync(join(place.home, 'more'), `[remote "origin"]\n  pushurl = https://${TOKEN}@example.com/a\n`)
    git(place, `git config include.path ${place.home}/more`)
    const commands = [...SHOWING, 'git config remote.origin.pushurl']

    expect(git(place, 'git remote -v')).toContain(TOKEN)
    expect(commands.filter((command) => verdictOf(place, command) === 'allow')).toEqual([])
  })

  test('as the remote of a branch is not shown by a format', async () => {
    const place = await makePlace(CLEAN_URL)
    const format = "git for-each-ref --format='%(upstream:remotename) %(push:remotename)' refs/heads"

    expect(verdictOf(place, format)).toBe('ask')
  })
})

test('settings without one are shown', async () => {
  const place = await makePlace(CLEAN_URL)
  const commands = [...SHOWING, 'git config user.name', 'git config --global --get user.email']

  expect(commands.filter((command) => verdictOf(place, command) !== 'allow')).toEqual([])
})

test('all settings of the user are asked, since they may lie anywhere', async () => {
  const place = await makePlace(CLEAN_URL)
  const commands = ['git config --list', 'git config -l --global', 'git config --local --global --list']

  expect(commands.filter((command) => verdictOf(place, command) === 'allow')).toEqual([])
})

test.each([
  ['listed', '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.com:a/b.git\n'],
  ['listed', '# note\n[alias]\n  co = checkout\n[credential]\n  helper = cache --timeout=3600\n'],
  ['other', '[sendemail]\n  smtpserver = x\n'],
  ['other', '[alias]\n  x = "!curl -H \'X-Auth: 1\' example.com"\n'],
  ['other', '[user]\n  pat = abc\n'],
  ['other', '[constructor]\n  name = x\n'],
  ['other', '[core] bare = false\n'],
  ['other', 'bare = false\n'],
  ['other', '[core]\n  editor = a \\\n  b\n'],
  ['include', '[includeIf "gitdir:x"]\n  path = y\n'],
  ['credentials', '[sendemail]\n  smtppass = abc\n'],
  ['credentials', '[http "https://example.com"]\n  extraheader = X: y\n'],
])('%s: %j', (expected, text) => {
  expect(settingsIn(text)).toBe(expected)
})
