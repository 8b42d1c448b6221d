import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { evaluatePolicy } from '../../evaluate-policy.js'

async function verdictInJail(command: string) {
  const home = await temporaryFolder()
  const cwd = join(home, 'project')
  mkdirSync(join(cwd, 'src'), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd })
  writeFileSync(join(cwd, 'a.txt'), 'a')
  return (await evaluatePolicy({ tool: 'Bash', input: { command }, cwd, home, jail: true })).verdict
}

test.each([
  'BASE=$(git merge-base main HEAD) && git diff --stat "$BASE"',
  'for c in $(git rev-list -3 HEAD); do git show --stat --oneline "$c"; done',
  'git branch --format="%(refname:short)" | while read b; do git rev-list --count main..$b; done',
  'git log -1 $(git describe --tags --abbrev=0)',
  'git diff $(git rev-parse HEAD~2)',
  'cd src && cd "$(git rev-parse --show-toplevel)" && git status --short',
  'n=$(git ls-files | wc -l); echo $((n * 2))',
  'n=$(git rev-list --count HEAD); git show HEAD~$((n - 1))',
])('%s runs in the jail: git gets revisions of its own', async (command) => {
  expect(await verdictInJail(command)).toBe('allow')
})

test.each([
  'b=$(git branch --show-current); git show "$b:.env"',
  'b=$(git branch --show-current); git show "$b":.env',
  'b=$(git branch --show-current); git show -$b',
  'git log -p $(git rev-parse .env)',
  'git log -p $(git rev-parse --abbrev-ref secrets/prod)',
  'git show $(git ls-files)',
  'git show $(git rev-list --objects HEAD)',
  'git show $(git log --format="%h %s" -1)',
  'git show $(git log --format=%H -p -1)',
  'git log $(git branch)',
  'git log $(git branch --format="--output=x")',
  'git log $(git tag --format="--output=x")',
  'git log $(git branch --show-current; cat a.txt)',
  'git log $(git branch --show-current && echo; cat a.txt)',
  'git $(git branch --show-current)',
  'git -C $(git branch --show-current) status',
  'git log "$(git branch --show-current | sed s/^/--output=/)"',
  'n=$(wc -l a.txt); echo $((n))',
  'n=$(cat a.txt | wc -l; cat a.txt); echo $((n))',
  'n=$(cat a.txt); echo $((n))',
  'b=$(git branch --show-current); b=$(cat a.txt)$b; git log $b',
  'b=$(git branch --show-current); b+=$(cat a.txt); git log $b',
  'while read b; do git log $b; done < a.txt',
  'git branch --show-current | while read b; do read b < a.txt; git log $b; done',
])('%s is asked: what git gets is not certain', async (command) => {
  expect(await verdictInJail(command)).toBe('ask')
})
