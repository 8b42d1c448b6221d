import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { SessionOptions } from '../../protocol/option/option.js'
import { reasonText } from '../../protocol/reason/reason.js'
import { inputObstacle } from './replaced-input.js'

const PRE_TOOL_USE = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } }
const ALL: SessionOptions = { settingSources: ['user', 'project', 'local'] }

async function setup(files: Record<string, unknown>, options: SessionOptions = ALL): Promise<string | null> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const [cwd, configFolder] = [join(folder, 'project'), join(folder, 'user')]
  const why = inputObstacle({ cwd, configFolder, options, managedFolders: [join(folder, 'managed')] })
  return why && reasonText([why])
}

test('nothing stands in the way of an ordinary session', async () => {
  expect(await setup({})).toBeNull()
  expect(
    await setup({
      'user/settings.json': {
        model: 'opus',
        hooks: { PostToolUse: [{ hooks: [] }] },
        permissions: { allow: ['Bash(ls)'] },
      },
      'project/.claude/settings.json': {
        permissions: { deny: ['Read(./secret)'] },
        enabledPlugins: { a: false },
      },
      'project/.claude/agents/scout.md': '---\nname: scout\n---\nLook around.',
    }),
  ).toBeNull()
})

test.each<[string, Record<string, unknown>]>([
  ['a hook of the user', { 'user/settings.json': PRE_TOOL_USE }],
  ['a hook of the project', { 'project/.claude/settings.json': PRE_TOOL_USE }],
  ['a local hook', { 'project/.claude/settings.local.json': PRE_TOOL_USE }],
  ['a managed hook', { 'managed/managed-settings.json': PRE_TOOL_USE }],
  ['a managed hook in a part', { 'managed/managed-settings.d/a.json': PRE_TOOL_USE }],
  ['settings that cannot be read', { 'user/settings.json': '{ "hooks": ' }],
  ['a plugin', { 'user/settings.json': { enabledPlugins: { 'a@b': true } } }],
  [
    'a rule that denies commands',
    { 'project/.claude/settings.json': { permissions: { deny: ['Bash(curl:*)'] } } },
  ],
  ['a rule that asks', { 'user/settings.json': { permissions: { ask: ['Bash'] } } }],
  ['the sandbox of the CLI', { 'user/settings.json': { sandbox: { enabled: true } } }],
  ['hooks of an agent', { 'project/.claude/agents/a.md': '---\nhooks:\n  PreToolUse: []\n---\n' }],
  ['hooks of a skill', { 'user/skills/s/SKILL.md': '---\nname: s\nhooks:\n  PreToolUse: []\n---\n' }],
])('%s does', async (_, files) => {
  expect(await setup(files)).toMatch(/./)
})

test('what is not loaded does not matter', async () => {
  const files = { 'user/settings.json': PRE_TOOL_USE, 'project/.claude/settings.json': PRE_TOOL_USE }
  expect(await setup(files, { settingSources: [] })).toBeNull()
  expect(await setup(files, {})).toBeNull()
})

test.each<[string, SessionOptions]>([
  ['plugins', { plugins: [{ type: 'local', path: '/p' }] }],
  ['rules for Bash', { disallowedTools: ['Bash(rm:*)'] }],
  ['a sandbox', { sandbox: {} }],
])('%s of the session do', async (_, options) => {
  expect(await setup({}, options)).toMatch(/./)
})
