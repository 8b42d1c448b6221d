import { expect, test } from 'vitest'
import { Changes } from '../changes.js'
import { needsAdmin } from './admin-file.js'

test.each([
  ['/home/kim/shop', 'src/a.ts', false],
  ['/home/kim/shop', '.env', true],
  ['/home/kim/shop', 'sub/.claude/settings.json', true],
  ['/home/kim/.claude', 'settings.json', true],
  ['/home/kim/shop/.vscode', 'tasks.json', true],
  ['/home/kim/shop/.claude/worktrees/fix', 'src/a.ts', false],
  ['/home/kim/shop/.claude/worktrees/fix', '.claude/settings.json', true],
  ['/home/kim/shop/.claude/worktrees', 'fix', true],
])('in %s, undo of %s needs an admin: %s', (cwd, path, isNeeded) => {
  expect(needsAdmin(cwd, path)).toBe(isNeeded)
})

test.each([
  ['/home/kim/shop', null],
  ['/home/kim/shop/.git', 'The folder belongs to git.'],
  ['/home/kim/shop/.GIT/hooks', 'The folder belongs to git.'],
])('nothing is recorded, and so nothing written, in a git folder: %s', (folder, problem) => {
  // Cast: only these two decide.
  const deps = { program: '/usr/bin/git', settings: { mode: 'on' } } as ConstructorParameters<
    typeof Changes
  >[0]
  expect(new Changes(deps).problemAt(folder)).toBe(problem)
})
