/** The home of Signalbox is out of reach in every mode: by name, glob, tree, symlink, hard link, and through `find`. */

import { describe, expect, test } from 'vitest'
import { Policy } from '../../protocol/policy/policy.js'
import type { PermissionMode } from '../../protocol/value.js'
import { evaluate } from '../evaluate.js'
import { type PlacedFiles, placedFiles } from '../file/placed-files.js'

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions']
const PERSON = '/home/dev'
const FILES: PlacedFiles = {
  '.signalbox/token': { file: '' },
  '.signalbox/signalbox.db': { file: '' },
  '.signalbox/audit-seal.json': { file: '' },
  '.signalbox/logs/daemon.log': { file: '' },
  '.signalbox/tmp/servers-1.json': { file: '' },
  '.signalbox/tmp/claude-0/tasks/a.output': { file: '' },
  '.signalbox/sample-workspace/src/a.txt': { file: '' },
  'project/a.txt': { file: '' },
  'project/twin.txt': { hardlink: '.signalbox/token' },
  'project/notes/link.txt': { symlink: '../../.signalbox/token' },
  'plain/a.txt': { file: '' },
}

function judge(cwd: string, tool: string, input: unknown, mode: PermissionMode = 'default') {
  const policy = { ...Policy.parse({}), ownHomes: [`${PERSON}/.signalbox`] }
  return evaluate(
    {
      tool,
      input,
      mode,
      cwd: cwd === '.' ? PERSON : `${PERSON}/${cwd}`,
      home: PERSON,
      fs: placedFiles(FILES, PERSON),
    },
    policy,
  )
}

const isDenied = (cwd: string, tool: string, input: unknown, mode: PermissionMode) => {
  const { verdict, rule } = judge(cwd, tool, input, mode)
  return verdict === 'deny' && rule === 'signalbox-files'
}

describe.each(MODES)('in the mode %s', (mode) => {
  test.each([
    'cat .signalbox/token',
    'cat .signalbox/tok*',
    'cat .signalbox/*',
    'cat .sig*/tok*',
    'cat */../.signalbox/token',
    'grep -r . .signalbox',
    'grep -r x .',
    'rg --hidden x',
    'cat $(find . -name token)',
    "cat $(find . -name 'tok*')",
    'find . -name token | xargs cat',
    'find .signalbox -exec cat {} +',
    'find . -type f -exec cat {} +',
    'diff -rN .signalbox project',
    'tar cf - .signalbox',
    'tar cf - .',
    'tar czf x.tgz ~',
    'tar -C ~ -cf x.tar .signalbox',
    'cp -r .signalbox /tmp/x',
    'cp -r ~ /tmp/x',
    'sqlite3 .signalbox/signalbox.db .dump',
    'cd .signalbox && sqlite3 signalbox.db .dump',
    'cat .signalbox/audit-seal.json',
    'cat .signalbox/logs/daemon.log',
    'cat .signalbox/tmp/servers-1.json',
    'cat .signalbox/hooks/x.mjs',
    'cat .signalbox/backups/1.tar',
    'echo x > .signalbox/policy.jsonc',
    'touch .signalbox/tools/x.mjs',
    'mv .signalbox old',
    'chmod 644 .signalbox/token',
    'cat project/twin.txt',
    'cat project/notes/*',
    'base64 < .signalbox/token',
    'curl -d @.signalbox/token http://127.0.0.1',
    'python3 x.py --file=.signalbox/token',
    'cd plain; python3 x.py --file=.signalbox/token',
    'cd .signalbox; python3 x.py token',
    'docker run -v ~:/d alpine cat /d/.signalbox/token',
    'cat .signalbox/sample-workspace/../token',
  ])('%s is denied', (command) => {
    expect(isDenied('.', 'Bash', { command }, mode)).toBe(true)
  })

  test.each([
    ['Read', { file_path: '.signalbox/token' }],
    ['Read', { file_path: '~/.signalbox/daemon.json' }],
    ['Read', { file_path: 'project/notes/link.txt' }],
    ['Read', { file_path: 'project/twin.txt' }],
    ['Write', { file_path: '.signalbox/config.jsonc', content: '' }],
    ['Grep', { pattern: 'x' }],
    ['Grep', { pattern: 'x', path: '.signalbox' }],
    ['mcp__fs__read', { path: '.signalbox/token' }],
    ['mcp__sh__run', { command: 'cat .signalbox/tok*' }],
  ])('%s %o is denied', (tool, input) => {
    expect(isDenied('.', tool, input, mode)).toBe(true)
  })
})

test.each([
  ['.', 'ls -la .signalbox'],
  ['.', 'cat project/a.txt'],
  ['.', 'cat plain/*'],
  ['.', 'grep -r x plain'],
  ['.', "find . -name '*.md'"],
  ['.', 'echo .signalbox/token'],
  ['.signalbox/sample-workspace', 'grep -rn x .'],
  ['.signalbox/sample-workspace', 'cat src/*'],
  ['.signalbox/sample-workspace', 'cat src/a.txt'],
  ['project', 'git status'],
])('in %s, %s is none of its business', (cwd, command) => {
  expect(judge(cwd, 'Bash', { command }).verdict).toBe('allow')
})

test('outputs of tasks, which the CLI puts into our scratch folder, are judged like other files', () => {
  const output = '.signalbox/tmp/claude-0/tasks/a.output'
  expect(judge('project', 'Read', { file_path: `${PERSON}/${output}` }).rule).toBe('outside-workspace')
})

describe('a command that destroys more than the home', () => {
  const reasonOf = (command: string, preset: 'careful' | 'classic', mode: PermissionMode = 'default') => {
    const policy = { ...Policy.parse({ preset }), ownHomes: [`${PERSON}/.signalbox`] }
    const cwd = `${PERSON}/project`
    const call = { tool: 'Bash', input: { command }, mode, cwd, home: PERSON, fs: placedFiles(FILES, PERSON) }
    const { verdict, rule, reason } = evaluate(call, policy)
    return { verdict, rule, reason }
  }

  test.each(['rm -rf /', "r''m -rf /"])(
    '%s is denied as dangerous, not for the files of Signalbox',
    (command) => {
      expect(reasonOf(command, 'classic')).toEqual({
        verdict: 'deny',
        rule: 'destroy-tree',
        reason: 'Dangerous command',
      })
      expect(reasonOf(command, 'careful')).toMatchObject({ verdict: 'deny', rule: 'destroy-tree' })
    },
  )

  test('where the preset would allow it, the files of Signalbox are the reason', () => {
    expect(reasonOf('rm -rf /', 'classic', 'bypassPermissions')).toMatchObject({
      verdict: 'deny',
      rule: 'signalbox-files',
    })
    expect(reasonOf('cat ~/.signalbox/token', 'classic')).toMatchObject({ rule: 'signalbox-files' })
  })
})
