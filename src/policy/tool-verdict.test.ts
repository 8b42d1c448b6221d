/** Verdicts of the policy `careful` on tools other than shells, with modes, grants and rules. */

import { link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { Policy, type PolicyRule } from '../protocol/policy/policy.js'
import type { PolicyCall } from './call.js'
import { evaluate } from './evaluate.js'
import { emptyFileSystem } from './file/file-system.js'
import { nodeFileSystem } from './file/node-file-system.js'

const NOW = '2026-11-15T12:00:00.000Z'

function judge(call: Partial<PolicyCall>, rules: readonly PolicyRule[] = []) {
  return evaluate(
    {
      tool: 'Bash',
      input: {},
      mode: 'default',
      cwd: '/home/dev/project',
      home: '/home/dev',
      now: NOW,
      fs: emptyFileSystem,
      ...call,
    },
    Policy.parse({ rules }),
  )
}

function verdict(call: Partial<PolicyCall>, rules: readonly PolicyRule[] = []): string {
  const judged = judge(call, rules)
  return `${judged.verdict} ${judged.step} ${judged.rule}`
}

const bash = (command: string) => ({ tool: 'Bash', input: { command } })
const write = (file_path: unknown) => ({ tool: 'Write', input: { file_path, content: 'x' } })

describe('tools for files', () => {
  test.each([
    ['Read', { file_path: '/home/dev/project/src/a.ts' }, 'allow autoAllow read-only'],
    ['Read', { file_path: 'src/a.ts' }, 'allow autoAllow read-only'],
    ['Read', { file_path: '/home/dev/project/.env' }, 'ask ask protected-read'],
    ['Read', { file_path: '/home/dev/project/docs/../secrets.json' }, 'ask ask protected-read'],
    ['Read', { file_path: '/etc/hosts' }, 'ask ask outside-workspace'],
    ['Read', { file_path: '/home/dev/project-2/a.ts' }, 'ask ask outside-workspace'],
    ['Read', { file_path: '~/a.txt' }, 'ask ask outside-workspace'],
    ['Read', { file_path: '' }, 'ask ask malformed'],
    ['Grep', { pattern: 'x' }, 'allow autoAllow read-only'],
    ['Grep', { pattern: 'x', path: 'src' }, 'allow autoAllow read-only'],
    ['Grep', { pattern: 'x', path: '/' }, 'ask ask outside-workspace'],
    ['Grep', { pattern: 'x', glob: '*.ts' }, 'allow autoAllow read-only'],
    ['Grep', { pattern: 'x', glob: '.env*' }, 'ask ask protected-read'],
    ['Grep', { pattern: 'x', glob: '{a,.env}' }, 'ask ask protected-read'],
    ['Grep', { pattern: 'x', glob: '{a,../b}' }, 'ask ask outside-workspace'],
    ['Grep', { pattern: 7 }, 'ask ask malformed'],
    ['Write', { file_path: '/home/dev/project/a.ts', content: '' }, 'ask ask write'],
    ['Write', { file_path: '/home/dev/project/.env', content: '' }, 'deny autoDeny protected-change'],
    ['Write', { file_path: '/home/dev/project/.ENV.Local', content: '' }, 'deny autoDeny protected-change'],
    ['Write', { file_path: '/home/dev/project/.env.example', content: '' }, 'ask ask write'],
    ['Edit', { file_path: '/home/dev/project/src/../.env' }, 'deny autoDeny protected-change'],
    ['Edit', { file_path: 'file:///home/dev/project/%2eenv' }, 'deny autoDeny protected-change'],
    ['Edit', { file_path: '/home/dev/project/src/password-form.tsx' }, 'ask ask write'],
    ['MultiEdit', { file_path: 'config/credentials.json', edits: [] }, 'deny autoDeny protected-change'],
    ['NotebookEdit', { notebook_path: 'a.ipynb' }, 'ask ask write'],
    ['Write', { file_path: '/home/dev/.ssh/config', content: '' }, 'deny autoDeny protected-change'],
    ['Write', { file_path: '/etc/passwd', content: '' }, 'deny autoDeny system-file'],
    ['Write', { file_path: '.claude/settings.json', content: '' }, 'ask ask control-file'],
    ['Write', { file_path: '.signalbox.jsonc', content: '' }, 'ask ask control-file'],
    ['Write', { file_path: '.signalbox/x', content: '' }, 'ask ask control-file'],
    ['Write', { file_path: '.signalbox/sample-workspace', content: '' }, 'ask ask control-file'],
    ['Write', { file_path: '.signalbox/sample-workspace/a.txt', content: '' }, 'ask ask write'],
    ['Write', { file_path: '.signalbox/sample-workspace/../x', content: '' }, 'ask ask control-file'],
    ['Write', { file_path: '.signalbox/sample-workspace/.git/config', content: '' }, 'ask ask control-file'],
    ['WebFetch', { url: 'https://example.org' }, 'ask ask network'],
    ['mcp__x__Read', { file_path: 'src/a.ts' }, 'ask ask tool'],
    ['mcp__fs__write_file', { path: '.env', content: '' }, 'deny autoDeny protected-change'],
    ['mcp__fs__upload', { file: 'secrets.json' }, 'deny autoDeny protected-copy'],
    ['mcp__sh__run', { command: 'shutdown now' }, 'deny autoDeny power'],
    ['mcp__sh__run', { command: 'rm', args: ['-rf', '/'] }, 'deny autoDeny destroy-tree'],
    ['mcp__sh__run', { command: 'echo', args: ['rm -rf /'] }, 'ask ask tool'],
    ['Read ', { file_path: 'src/a.ts' }, 'ask ask tool'],
    ['read', { file_path: 'src/a.ts' }, 'ask ask tool'],
    ['constructor', {}, 'ask ask tool'],
  ])('%s %j: %s', (tool, input, expected) => {
    expect(verdict({ tool, input })).toBe(expected)
  })

  test.each([
    [{ pattern: '**/*.ts' }, 'allow'],
    [{ pattern: '*.ts', path: 'src' }, 'allow'],
    [{ pattern: '*.ts', path: '/home/dev/project/src' }, 'allow'],
    [{ pattern: '/home/dev/project/src/*' }, 'allow'],
    [{ pattern: '{src,test}/**' }, 'allow'],
    [{ pattern: '.env*' }, 'allow'],
    [{ pattern: '*', path: '/etc' }, 'ask'],
    [{ pattern: '/etc/*' }, 'ask'],
    [{ pattern: '/etc/*', path: 'src' }, 'ask'],
    [{ pattern: '../**' }, 'ask'],
    [{ pattern: '../../**', path: 'src' }, 'ask'],
    [{ pattern: 'src/../../x/*' }, 'ask'],
    [{ pattern: '{src,../..}/**' }, 'ask'],
    [{ pattern: '{/etc,src}/*' }, 'ask'],
    [{ pattern: '~/**' }, 'ask'],
    [{ pattern: 'project/**', path: '/home/dev' }, 'ask'],
    [{ pattern: '*', path: 7 }, 'ask'],
    [{}, 'ask'],
  ])('Glob looks where its folder and its pattern lead together: %j %s', (input, expected) => {
    expect(judge({ tool: 'Glob', input }).verdict).toBe(expected)
  })

  test('links are followed to what they stand for', async () => {
    const folder = await temporaryFolder()
    const cwd = join(folder, 'project')
    await mkdir(join(cwd, 'src'), { recursive: true })
    await mkdir(join(folder, 'other'))
    await writeFile(join(cwd, '.env'), '')
    await symlink('.env', join(cwd, 'notes.txt'))
    await symlink(join(folder, 'other'), join(cwd, 'out'))
    await symlink('loop', join(cwd, 'loop'))
    await link(join(cwd, '.env'), join(cwd, 'twin.txt'))
    const at = (tool: string, input: unknown) =>
      verdict({ tool, input, cwd, home: folder, fs: nodeFileSystem() })

    expect(at('Write', { file_path: 'notes.txt' })).toBe('deny autoDeny protected-change')
    expect(at('Read', { file_path: 'notes.txt' })).toBe('ask ask protected-read')
    expect(at('Write', { file_path: 'twin.txt' })).toBe('deny autoDeny protected-change')
    expect(at('Read', { file_path: 'out/a.txt' })).toBe('ask ask outside-workspace')
    expect(at('Glob', { pattern: 'out/**' })).toBe('ask ask outside-workspace')
    expect(at('Read', { file_path: 'loop' })).toBe('ask ask unreadable')
    expect(at('Bash', { command: 'cat notes.txt' })).toBe('ask ask protected-read')
    expect(at('Bash', { command: 'ln -sf .env x && echo a > x' })).toBe('deny autoDeny protected-change')
    expect(at('Read', { file_path: 'src/new.ts' })).toBe('allow autoAllow read-only')
  })
})

describe('input of the wrong shape', () => {
  const inputs = [null, undefined, 7, 'text', [], {}, { command: null }, { command: {} }, { file_path: {} }]

  test.each(['default', 'acceptEdits', 'bypassPermissions', 'plan'] as const)('is asked in %s', (mode) => {
    for (const tool of ['Bash', 'Monitor', 'PowerShell', 'Read', 'Write', 'Edit', 'Grep', 'Glob']) {
      for (const input of inputs) expect([tool, input, judge({ tool, input, mode }).verdict]).toContain('ask')
    }
  })

  test('what would be denied in it is denied', () => {
    expect(verdict({ tool: 'Write', input: { file_path: ['.env'] } })).toBe('deny autoDeny protected-change')
  })
})

describe('modes', () => {
  test.each([
    ['acceptEdits', write('src/a.ts'), 'allow acceptEdits mode'],
    ['acceptEdits', write('/elsewhere/a.ts'), 'ask ask outside-workspace'],
    ['acceptEdits', write('.claude/settings.json'), 'ask ask control-file'],
    ['acceptEdits', write('.env'), 'deny autoDeny protected-change'],
    ['acceptEdits', bash('touch a'), 'ask ask write'],
    ['bypassPermissions', bash('touch a'), 'allow bypassPermissions mode'],
    ['bypassPermissions', write('/elsewhere/a.ts'), 'allow bypassPermissions mode'],
    ['bypassPermissions', bash('rm -rf ~'), 'deny autoDeny destroy-tree'],
    ['bypassPermissions', write('.env'), 'deny autoDeny protected-change'],
    ['bypassPermissions', { tool: 'AskUserQuestion', input: {} }, 'ask person for-a-person'],
    ['bypassPermissions', { tool: 'ExitPlanMode', input: {} }, 'ask person for-a-person'],
    ['dontAsk', bash('ls'), 'allow autoAllow read-only'],
    ['dontAsk', bash('touch a'), 'deny dontAsk write'],
    ['plan', write('src/a.ts'), 'ask ask write'],
    ['auto', bash('touch a'), 'ask ask write'],
  ] as const)('%s %j: %s', (mode, call, expected) => {
    expect(verdict({ ...call, mode })).toBe(expected)
  })

  test.each(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'] as const)(
    'to leave the sandbox is always asked: %s',
    (mode) => {
      const input = { command: 'ls', dangerouslyDisableSandbox: true }
      expect(verdict({ tool: 'Bash', input, mode })).toBe('ask sandbox sandbox-escape')
    },
  )

  test('Monitor and PowerShell are shells', () => {
    expect(verdict({ tool: 'Monitor', input: { command: 'rm -rf ~' } })).toBe('deny autoDeny destroy-tree')
    expect(verdict({ tool: 'Monitor', input: { command: 'ls' } })).toBe('ask ask tool')
    expect(verdict({ tool: 'PowerShell', input: { command: 'Stop-Computer' } })).toBe('deny autoDeny power')
    expect(verdict({ tool: 'PowerShell', input: { command: 'dir' } })).toBe('ask ask code')
  })
})

describe('a rule', () => {
  const rule = (verdictOf: PolicyRule['verdict'], when: PolicyRule['when']): PolicyRule[] => [
    { name: 'mine', verdict: verdictOf, when },
  ]

  test('that denies beats everything but a denial of ours, in every mode', () => {
    const rules = rule('deny', { commands: ['git push **'] })
    expect(verdict(bash('git push --force'), rules)).toBe('deny rule mine')
    expect(verdict({ ...bash('cd src && git push'), mode: 'bypassPermissions' }, rules)).toBe(
      'deny rule mine',
    )
    expect(verdict(bash('sudo env A=1 git push'), rules)).toBe('deny rule mine')
    expect(verdict(bash("bash -c 'git push'"), rules)).toBe('deny rule mine')
    expect(verdict(bash('echo git push'), rules)).toBe('allow autoAllow read-only')
  })

  test('that asks beats modes and grants', () => {
    const rules = rule('ask', { paths: ['migrations/**'], access: ['write'] })
    expect(verdict({ ...write('migrations/1.sql'), mode: 'bypassPermissions' }, rules)).toBe('ask rule mine')
    expect(verdict({ ...bash('echo x > migrations/1.sql'), mode: 'bypassPermissions' }, rules)).toBe(
      'ask rule mine',
    )
    expect(verdict({ ...write('src/a.ts'), mode: 'bypassPermissions' }, rules)).toBe(
      'allow bypassPermissions mode',
    )
  })

  test('that allows commands covers what they ordinarily do, all of a line, and nothing more', () => {
    const rules = rule('allow', { commands: ['npm run *', 'make'] })
    expect(verdict(bash('npm run build'), rules)).toBe('allow rule mine')
    expect(verdict(bash('npm run build && make'), rules)).toBe('allow rule mine')
    expect(verdict(bash('npm run build && npm publish'), rules)).toMatch(/^ask/)
    expect(verdict(bash('npm run build > .env'), rules)).toMatch(/^deny/)
    expect(verdict(bash('npm run build > /etc/motd'), rules)).toMatch(/^ask/)
    expect(verdict(bash('sudo npm run build'), rules)).toMatch(/^ask/)
  })

  test('that allows never lifts a denial of ours', () => {
    const rules = rule('allow', { tools: ['Bash', 'Write'] })
    expect(verdict(bash('rm -rf /'), rules)).toBe('deny autoDeny destroy-tree')
    expect(verdict(write('.env'), rules)).toBe('deny autoDeny protected-change')
    expect(verdict(bash('make'), rules)).toBe('allow rule mine')
    expect(verdict(bash('if true'), rules)).toMatch(/^ask/)
  })

  test('may look at paths, servers, their source, workspaces, agents and modes', () => {
    const holds = (when: PolicyRule['when'], call: Partial<PolicyCall>) =>
      judge(call, rule('deny', when)).rule === 'mine'
    const foreign = { tool: 'mcp__github__create_issue', input: {} }

    expect(holds({ servers: ['github'] }, foreign)).toBe(true)
    expect(holds({ servers: ['gitlab'] }, foreign)).toBe(false)
    expect(holds({ tools: ['mcp__github__*'] }, foreign)).toBe(true)
    expect(holds({ sources: ['project'] }, { ...foreign, serverSource: 'project' })).toBe(true)
    expect(holds({ sources: ['project'] }, { ...foreign, serverSource: 'user' })).toBe(false)
    expect(holds({ workspaces: ['/home/dev/*'] }, bash('ls'))).toBe(true)
    expect(holds({ workspaces: ['/srv/**'] }, bash('ls'))).toBe(false)
    expect(holds({ agents: ['main'] }, bash('ls'))).toBe(true)
    expect(holds({ agents: ['Explore'] }, { ...bash('ls'), agent: 'Explore' })).toBe(true)
    expect(holds({ agents: ['Explore'] }, bash('ls'))).toBe(false)
    expect(holds({ modes: ['bypassPermissions'] }, { ...bash('ls'), mode: 'bypassPermissions' })).toBe(true)
    expect(holds({ modes: ['bypassPermissions'] }, bash('ls'))).toBe(false)
    expect(holds({ paths: ['~/.cache/**'] }, bash('cat ~/.cache/x'))).toBe(true)
    expect(holds({ paths: ['src/**'], access: ['write'] }, bash('cat src/a'))).toBe(false)
    expect(holds({ tools: ['Bash'], paths: ['src/**'] }, write('src/a'))).toBe(false)
    expect(holds({}, bash('ls'))).toBe(true)
  })
})

test('tools that are allowed by themselves are allowed what they ordinarily do', () => {
  const policy = Policy.parse({ autoAllowTools: ['WebFetch', 'Write', 'Read', 'Bash'] })
  const at = (tool: string, input: unknown) =>
    evaluate(
      { tool, input, mode: 'default', cwd: '/home/dev/project', home: '/home/dev', fs: emptyFileSystem },
      policy,
    ).verdict

  expect(at('WebFetch', { url: 'https://example.org' })).toBe('allow')
  expect(at('Write', { file_path: 'a.ts' })).toBe('allow')
  expect(at('Write', { file_path: '/etc/motd' })).toBe('ask')
  expect(at('Write', { file_path: '.env' })).toBe('deny')
  expect(at('Read', { file_path: '.env' })).toBe('ask')
  expect(at('Bash', { command: 'make' })).toBe('allow')
  expect(at('Bash', { command: 'sudo make' })).toBe('ask')
  expect(at('WebSearch', { query: 'x' })).toBe('ask')
})

test('a verdict names the step, the rule, the reason and the part that it is about', () => {
  const command = 'ls && sudo rm -rf "$HOME"'
  expect(judge(bash(command))).toEqual({
    verdict: 'deny',
    step: 'autoDeny',
    rule: 'destroy-tree',
    reason: 'Deletes all of /home/dev.',
    reasonParts: [{ code: 'file.delete-all', params: { path: '/home/dev' } }],
    part: { text: '"$HOME"', start: 18, end: 25 },
  })
})

describe('tools of our own are judged by what they do', () => {
  const own = (name: string, input: unknown) => ({ tool: `mcp__signalbox__${name}`, input })
  test.each([
    [own('file_reader', { path: 'src/a.ts' }), 'allow autoAllow read-only'],
    [own('file_reader', { path: '.env' }), 'ask ask protected-read'],
    [own('file_reader', { path: '../other/a.ts' }), 'ask ask outside-workspace'],
    [own('file_reader', {}), 'ask ask malformed'],
    [own('directory_lister', {}), 'allow autoAllow read-only'],
    [own('directory_lister', { targetPath: '/etc' }), 'ask ask outside-workspace'],
    [own('directory_lister', { targetPath: 7 }), 'ask ask malformed'],
    [own('text_edit_tool', { path: 'a.ts', edits: [] }), 'ask ask write'],
    [own('text_edit_tool', { path: '.env', edits: [] }), 'deny autoDeny protected-change'],
    [own('text_edit_tool', { edits: [] }), 'ask ask malformed'],
    [own('datetime', {}), 'allow autoAllow read-only'],
    [own('attempt_completion', { result: 'x' }), 'allow autoAllow read-only'],
    [own('agent_caller', { target_agent: 'a', message: 'b' }), 'ask ask tool'],
    [own('weather', {}), 'ask ask tool'],
    [{ tool: 'mcp__other__file_reader', input: { path: 'src/a.ts' } }, 'ask ask tool'],
  ])('%j: %s', (call, expected) => {
    expect(verdict(call)).toBe(expected)
  })

  test('edits are accepted where edits are accepted; paths are seen from the workspace wherever the shell is', () => {
    const edit = own('text_edit_tool', { path: 'a.ts', edits: [] })
    expect(verdict({ ...edit, mode: 'acceptEdits' })).toBe('allow acceptEdits mode')
    const elsewhere = { cwd: '/tmp', workspace: '/home/dev/project' }
    expect(verdict({ ...own('file_reader', { path: 'src/a.ts' }), ...elsewhere })).toBe(
      'allow autoAllow read-only',
    )
  })
})
