import { expect, test } from 'vitest'
import { showsHistory } from './git-content.js'

test.each([
  'git diff',
  'git diff HEAD~1 -- src',
  'git show',
  'git show HEAD',
  'git show HEAD:.env',
  'git show abc123',
  'git log -p',
  'git log -p FETCH_HEAD',
  'git log --patch -n 1',
  'git log -L1,5:a.ts',
  'git -C sub log -u',
  'git --no-pager log --cc',
  'git stash show',
  'git stash list -p',
  'git cat-file -p abc',
  'git cat-file --batch',
  'git grep KEY',
  'git --no-replace-objects log -p',
  'git diff --stat -p',
  'git whatchanged',
  'git format-patch --stdout HEAD~1',
])('%s shows what it does not name', (command) => {
  expect(showsHistory(command.split(' '))).toBe(true)
})

test.each([
  'git status --short',
  'git log --oneline -n 5',
  'git log --format=%h',
  'git log --stat',
  'git diff --stat HEAD',
  'git diff --name-only',
  'git show --stat HEAD',
  'git show HEAD:src/a.txt',
  'git branch -a',
  'git -c color.ui=never branch',
  'git ls-files',
  'git blame src/a.txt',
  'git stash list',
  'git rev-parse HEAD',
  'git',
  'cat a.txt',
])('%s does not', (command) => {
  expect(showsHistory(command.split(' '))).toBe(false)
})
