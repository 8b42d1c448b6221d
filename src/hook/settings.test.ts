import { HOOK_EVENTS, LEGACY_TOOL_NAME_ALIASES } from '@anthropic-ai/claude-agent-sdk'
import { describe, expect, test } from 'vitest'
import { FORMER_TOOL_NAMES, readMatcher } from './matcher.js'
import { selectHooks } from './select.js'
import { HookEvent, HookSettings, hooksFor } from './settings.js'

test('events and former names are those of the SDK', () => {
  expect(new Set(HookEvent.options)).toEqual(new Set(HOOK_EVENTS))
  expect(FORMER_TOOL_NAMES).toEqual(LEGACY_TOOL_NAME_ALIASES)
})

describe('a matcher', () => {
  test.each([
    [undefined, ['Write', '']],
    ['', ['Write']],
    ['*', ['Write', 'mcp__a__b']],
    ['Write', ['Write']],
    ['Read|Bash', ['Read', 'Bash']],
    ['Read, Bash', ['Read', 'Bash']],
    ['Ba.*', ['Bash', 'TheBar']],
    ['.*as', ['Bash']],
    ['^(Edit|Write)$', ['Edit', 'Write']],
    ['mcp__signalbox__.*', ['mcp__signalbox__datetime']],
    ['Task', ['Task', 'Agent']],
    ['^Task$', ['Agent']],
  ])('%j matches', (matcher, names) => {
    expect(names.filter((name) => !readMatcher(matcher)?.(name))).toEqual([])
  })

  test.each([
    ['Write', ['write', 'Writer', 'MultiWrite']],
    ['Bas', ['Bash']],
    ['bash', ['Bash']],
    ['mcp__signalbox', ['mcp__signalbox__datetime']],
    ['^write$', ['Write']],
    ['Skill(snowflake)', ['Skill']],
  ])('%j does not match', (matcher, names) => {
    expect(names.filter((name) => readMatcher(matcher)?.(name))).toEqual([])
  })
})

describe('settings', () => {
  const hook = { type: 'command', command: 'true' }

  test('have the shape of Claude Code', () => {
    const settings = {
      PreToolUse: [{ matcher: 'Write', hooks: [{ ...hook, timeout: 10, onFailure: 'block' }] }],
    }
    expect(HookSettings.parse(settings)).toEqual(settings)
  })

  test.each([
    [{ PreToolUse: [{ matcher: '(', hooks: [hook] }] }, 'neither a list of names nor a regular expression'],
    [{ PreTool: [{ hooks: [hook] }] }, 'PreTool'],
    [{ PreToolUse: [{ hooks: [{ type: 'http', url: 'x' }] }] }, 'Only hooks of the type "command"'],
    [{ PreToolUse: [{ hooks: [{ ...hook, async: true }] }] }, 'async'],
    [{ PreToolUse: [{ hooks: [{ ...hook, command: ' ' }] }] }, 'command'],
    [{ PreToolUse: [{ hooks: [{ ...hook, timeout: 0 }] }] }, 'timeout'],
    [{ PreToolUse: [{ hooks: [{ ...hook, onFailure: 'ignore' }] }] }, 'onFailure'],
    [{ PreToolUse: [hook] }, 'hooks'],
  ])('that are not understood are refused: %j', (settings, problem) => {
    const { success, error } = HookSettings.safeParse(settings)
    expect(success).toBe(false)
    expect(JSON.stringify(error?.issues)).toContain(JSON.stringify(problem).slice(1, -1))
  })
})

describe('an event runs', () => {
  const command = (name: string, more: object = {}) => ({ type: 'command', command: name, ...more })
  const select = (settings: unknown, event: HookEvent, input: Record<string, unknown>) =>
    selectHooks(HookSettings.parse(settings), event, input).map((hook) => hook.command)

  test('the hooks that match its tool, in their order', () => {
    const settings = {
      PreToolUse: [
        { matcher: 'Write', hooks: [command('a'), command('b')] },
        { matcher: 'Bash', hooks: [command('c')] },
        { hooks: [command('d')] },
      ],
      PostToolUse: [{ hooks: [command('e')] }],
    }
    expect(select(settings, 'PreToolUse', { tool_name: 'Write' })).toEqual(['a', 'b', 'd'])
    expect(select(settings, 'PreToolUse', { tool_name: 'Read' })).toEqual(['d'])
    expect(select(settings, 'PostToolUse', { tool_name: 'Write' })).toEqual(['e'])
    expect(select(settings, 'PostToolUseFailure', { tool_name: 'Write' })).toEqual([])
  })

  test('the same command once, with the first timeout and the strictest failure', () => {
    const settings = HookSettings.parse({
      PreToolUse: [
        { matcher: 'Write', hooks: [command('a', { timeout: 5 }), command('a', { args: ['x'] })] },
        { matcher: '*', hooks: [command('a', { timeout: 9, onFailure: 'block' })] },
      ],
    })
    expect(selectHooks(settings, 'PreToolUse', { tool_name: 'Write' })).toEqual([
      { command: 'a', args: null, timeoutMs: 5_000, onFailure: 'block', matcher: 'Write' },
      { command: 'a', args: ['x'], timeoutMs: 600_000, onFailure: 'continue', matcher: 'Write' },
    ])
  })

  test.each([
    ['SessionStart', { source: 'resume' }, 'resume', true],
    ['SessionStart', { source: 'startup' }, 'resume', false],
    ['SessionEnd', { reason: 'clear' }, 'clear', true],
    ['Notification', { notification_type: 'idle_prompt' }, 'permission_prompt', false],
    ['SubagentStop', { agent_type: 'Explore' }, 'Explore', true],
    ['PreCompact', { trigger: 'auto' }, 'manual', false],
    ['FileChanged', { file_path: '/p/.env' }, '^\\.env$', true],
    ['UserPromptSubmit', { prompt: 'x' }, 'Write', true],
    ['Stop', {}, 'Write', true],
    ['PreToolUse', {}, 'Write', true],
  ] as const)('%s %j with the matcher %s: %s', (event, input, matcher, runs) => {
    expect(select({ [event]: [{ matcher, hooks: [command('a')] }] }, event, input)).toEqual(runs ? ['a'] : [])
  })
})

test('hooks may be meant for one folder and what is below it', () => {
  const command = (text: string) => ({ type: 'command', command: text })
  const settings = HookSettings.parse({
    Stop: [
      { hooks: [command('everywhere')] },
      { workspace: '/srv/app', hooks: [command('app')] },
      { workspace: '/srv/app/', hooks: [command('slash')] },
    ],
  })
  const commands = (cwd: string) =>
    hooksFor(settings, cwd).Stop?.flatMap(({ hooks }) => hooks.map((hook) => hook.command))
  expect(commands('/srv/app')).toEqual(['everywhere', 'app', 'slash'])
  expect(commands('/srv/app/web')).toEqual(['everywhere', 'app', 'slash'])
  expect(commands('/srv/application')).toEqual(['everywhere'])
  expect(HookSettings.safeParse({ Stop: [{ workspace: 'app', hooks: [] }] }).success).toBe(false)
})
