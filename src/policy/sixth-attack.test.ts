/** Regression cases of the sixth attack: fields of tools, wildcards of rules, and searches that answer with a bit. */

import { afterAll, describe, expect, test } from 'vitest'
import { type AttackScene, type AttackSceneName, buildAttackScenes } from '../../test/support/attack-scene.js'
import { Policy } from '../protocol/policy/policy.js'
import { CAREFUL, evaluate } from './evaluate.js'
import { environmentOf } from './facts.js'
import { nodeFileSystem } from './file/node-file-system.js'
import { prove } from './proof/prove.js'
import { CONVERSATION_RULES } from './source/conversation-rules.js'

const { scenes, close } = buildAttackScenes()
afterAll(close)

function callIn(scene: AttackSceneName, tool: string, input: unknown) {
  const { home, cwd } = scenes.get(scene) as AttackScene
  return { tool, input, mode: 'default' as const, cwd, home, fs: nodeFileSystem() }
}

function verdictOf(tool: string, input: unknown): string {
  const policy = { ...CAREFUL, rules: [...CAREFUL.rules, ...CONVERSATION_RULES] }
  return evaluate(callIn('ordinary', tool, input), policy).verdict
}

function verdictWithRule(scene: AttackSceneName, pattern: string, command: string): string {
  const policy = Policy.parse({
    preset: 'careful',
    rules: [{ name: 'mine', verdict: 'allow', when: { commands: [pattern] } }],
  })
  return evaluate(callIn(scene, 'Bash', { command }), policy).verdict
}

describe('fields of tools that may run without a question', () => {
  const ask = { description: 'Look', prompt: 'Look at it' }

  test.each([
    ['a subagent in a work tree of its own', 'Agent', { ...ask, isolation: 'worktree' }],
    ['the same by its former name', 'Task', { ...ask, isolation: 'worktree' }],
    ['a subagent on another machine', 'Agent', { ...ask, isolation: 'remote' }],
    ['a subagent in a freer mode', 'Agent', { ...ask, mode: 'bypassPermissions' }],
    ['a subagent in another folder', 'Agent', { ...ask, cwd: '/etc' }],
    ['a field that Read does not have', 'Read', { file_path: 'README.md', file_paths: ['.env'] }],
    ['a count that is an option', 'Grep', { pattern: 'a', path: 'src', '-A': '--pre=./x' }],
    ['an option as a field', 'Grep', { pattern: 'a', path: 'src', '--pre': './x' }],
    ['a field that Glob does not have', 'Glob', { pattern: '*.ts', follow: true }],
    ['a path that is a list', 'TaskStop', { task_id: ['x'] }],
  ])('%s is asked', (_, tool, input) => {
    expect(verdictOf(tool, input)).toBe('ask')
  })

  test.each([
    ['Agent', { ...ask, subagent_type: 'Explore', run_in_background: true, mode: 'plan' }],
    ['Task', { ...ask, subagent_type: 'Explore', model: 'haiku' }],
    ['Read', { file_path: 'README.md', offset: 3, limit: '20' }],
    ['Grep', { pattern: 'a', path: 'src', output_mode: 'content', '-n': true, '-C': 3, head_limit: 20 }],
    ['Glob', { pattern: '**/*.ts' }],
    ['TodoWrite', { todos: [{ content: 'x', status: 'pending', activeForm: 'x' }] }],
    ['TaskUpdate', { taskId: '1', status: 'completed' }],
  ])('ordinary calls of %s are allowed', (tool, input) => {
    expect(verdictOf(tool, input)).toBe('allow')
  })
})

describe('wildcards of rules', () => {
  test.each([
    ['ordinary', 'curl http://localhost*', "curl 'http://localhost\\@example.com/'"],
    ['ordinary', 'curl http://localhost*', "curl 'http://localhost:80\\@example.com/'"],
    ['ordinary', 'sed -i ** *', "sed -i '1e touch x' README.md"],
    ['ordinary', 'sed -i ** *', "sed -i 's/a/id/e' README.md"],
    ['ordinary', 'awk **', "awk '{system($0)}' README.md"],
    ['untracked', 'git add **', "git add '.e*'"],
    ['untracked', 'git add **', "git add ':(top).env'"],
    ['untracked', 'git add **', "git add ':/'"],
    ['untracked', 'git checkout **', "git checkout main -- '*.env'"],
    ['ordinary', 'git checkout **', 'git checkout main -- config'],
    ['ordinary', 'git checkout **', 'git checkout main .'],
    ['ordinary', 'git checkout **', 'git checkout main config'],
    ['ordinary', 'git restore **', 'git restore --source main .'],
    ['ordinary', 'git restore --source=* **', 'git restore --source=main src'],
    ['tracked', 'git checkout **', 'git checkout -- .'],
    ['tracked', 'git checkout **', 'git checkout config'],
    ['tracked', 'git restore **', 'git restore .'],
    ['tracked', 'git reset --hard **', 'git reset --hard HEAD'],
  ] as const)('in a scene %s the rule "%s" does not allow: %s', (scene, pattern, command) => {
    expect(verdictWithRule(scene, pattern, command)).not.toBe('allow')
  })

  test.each([
    ['curl http://localhost*', 'curl http://localhost:3000/x'],
    ['sed -i ** *', 'sed -i s/a/b/ README.md'],
    ['sed -i s/a/id/e README.md', "sed -i 's/a/id/e' README.md"],
    ['git add **', 'git add src/a.ts docs'],
    ['git commit -m *', "git commit -m 'what? a *'"],
    ['git checkout **', 'git checkout main'],
    ['git checkout **', 'git checkout -- src'],
    ['git checkout **', 'git checkout main -- src/a.ts'],
    ['git restore **', 'git restore .'],
    ['git restore --staged **', 'git restore --staged .'],
    ['git reset HEAD **', 'git reset HEAD src/a.ts'],
  ])('the rule "%s" allows: %s', (pattern, command) => {
    expect(verdictWithRule('ordinary', pattern, command)).toBe('allow')
  })
})

test.each([
  'git log -S KEY= --oneline',
  'git log -G ^KEY=C --oneline',
  'git log -SKEY=C',
  'git log --all -G KEY --stat',
])('a search of the history of protected files is not allowed unseen: %s', (command) => {
  const call = callIn('tracked', 'Bash', { command })
  expect(prove(command, environmentOf(call)).isProven).toBe(false)
  expect(prove(command, environmentOf(callIn('ordinary', 'Bash', { command }))).isProven).toBe(true)
})

test.each(['PATH', 'LD_LIBRARY_PATH', 'X'])(
  'xargs with a variable for the slot is not left to the jail: %s',
  (name) => {
    const command = `ls src | xargs --process-slot-var=${name} cat`
    expect(evaluate({ ...callIn('ordinary', 'Bash', { command }), jail: true }, CAREFUL).verdict).toBe('ask')
  },
)
