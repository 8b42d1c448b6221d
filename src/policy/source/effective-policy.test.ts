import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import { evaluate } from '../evaluate.js'
import { nodeFileSystem } from '../file/node-file-system.js'
import { createPolicyResolver, type PolicyPlace, type PolicySettings } from './effective-policy.js'

const noPush = { name: 'no-push', verdict: 'deny', when: { commands: ['git push **'] } } satisfies PolicyRule
const builds = { name: 'builds', verdict: 'allow', when: { commands: ['make **'] } } satisfies PolicyRule

async function setup(settings: PolicySettings = {}, files: Record<string, unknown> = {}) {
  const folder = await temporaryFolder()
  const home = join(folder, 'home')
  const workspace = join(folder, 'project')
  for (const path of [home, workspace]) await mkdir(path, { recursive: true })
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  for (const [name, content] of Object.entries(files)) await write(name, content)
  const place = (more: Partial<PolicyPlace> = {}) => ({ workspace, isTrusted: true, preset: null, ...more })
  const open = () => createPolicyResolver(home, settings)
  const judge = (command: string, at: Partial<PolicyPlace> = {}, book = open()) => {
    const call = { tool: 'Bash', input: { command }, cwd: workspace, home: folder, fs: nodeFileSystem() }
    const { verdict, rule } = evaluate({ ...call, mode: 'default' }, book.at(place(at)))
    return `${verdict} ${rule}`
  }
  return { folder, home, workspace, write, place, open, judge }
}

test('without any settings and files it is careful', async () => {
  const { open } = await setup()
  expect(open().own()).toEqual({ preset: 'careful', denyFirst: false, rules: [] })
})

test('the person’s file has rules and may choose the preset; comments are fine', async () => {
  const text = `{ // mine\n "preset": "classic", "denyFirst": true, "autoAllowTools": ["Read"], "rules": [${JSON.stringify(noPush)}], }`
  const { open, judge } = await setup({}, { 'home/policy.jsonc': text })

  expect(open().own()).toEqual({
    preset: 'classic',
    denyFirst: true,
    autoAllowTools: ['Read'],
    rules: [noPush],
  })
  expect(judge('git push')).toBe('deny no-push')
})

test('settings come before the file; a session may choose another preset', async () => {
  const settings = { policy: 'careful', denyFirst: true, autoAllowTools: ['WebFetch'] }
  const file = { preset: 'classic', denyFirst: false, rules: [noPush] }
  const { open, place } = await setup(settings, { 'home/policy.jsonc': file })

  const book = open()

  expect(book.own()).toMatchObject({ preset: 'careful', denyFirst: true, autoAllowTools: ['WebFetch'] })
  expect(book.at(place({ preset: 'classic' })).preset).toBe('classic')
  expect(book.at(place()).rules).toContainEqual(noPush)
})

test('the settings may name another file, relative to the home', async () => {
  const { open } = await setup({ policy: 'team.jsonc' }, { 'home/team.jsonc': { rules: [noPush] } })
  expect(open().own().rules).toEqual([noPush])

  const missing = await setup({ policy: 'nowhere.jsonc' })
  expect(() => missing.open()).toThrow(/nowhere\.jsonc cannot be used/)
})

test.each([
  ['{ "rules": [', /line 1/],
  ['{ "rule": [] }', /rule/],
  [{ rules: [{ name: 'x', verdict: 'maybe', when: {} }] }, /verdict/],
  [{ rules: [{ name: 'x', verdict: 'deny', when: { tool: ['Bash'] } }] }, /tool/],
])('a file that makes no sense is refused, with the place: %j', async (content, problem) => {
  const { open } = await setup({}, { 'home/policy.jsonc': content })
  expect(open).toThrow(problem)
})

test('a changed file holds from the next call on; one that breaks stops everything', async () => {
  const { open, judge, write, place } = await setup()
  const book = open()
  expect(judge('git push', {}, book)).toMatch(/^ask/)

  await write('home/policy.jsonc', { rules: [noPush] })
  expect(judge('git push', {}, book)).toBe('deny no-push')

  await write('home/policy.jsonc', '{ broken')
  expect(() => book.at(place())).toThrow(/cannot be used/)
})

test('a workspace may narrow, if it is trusted, and never widen', async () => {
  const narrowing = { rules: [{ ...noPush, name: 'theirs' }] }
  const { judge, write } = await setup(
    {},
    { 'home/policy.jsonc': { rules: [builds] }, 'project/.signalbox.jsonc': narrowing },
  )
  expect(judge('git push')).toBe('deny theirs')
  expect(judge('git push', { isTrusted: false })).toMatch(/^ask/)
  expect(judge('make all')).toBe('allow builds')

  await write('project/.signalbox.jsonc', { rules: [{ ...builds, name: 'theirs' }] })
  expect(() => judge('make all')).toThrow(/may deny and ask, but not allow/)
  expect(judge('make all', { isTrusted: false })).toBe('allow builds')

  for (const wider of [
    { policy: 'classic' },
    { denyFirst: false },
    { autoAllowTools: ['Bash'] },
    { port: 1 },
  ]) {
    await write('project/.signalbox.jsonc', wider)
    expect(() => judge('ls')).toThrow(/cannot be used/)
  }
  await write('project/.signalbox.jsonc', { policy: 'careful', denyFirst: true })
  const { open, place } = await setup(
    { policy: 'classic' },
    { 'project/.signalbox.jsonc': { policy: 'careful' } },
  )
  expect(open().at(place()).preset).toBe('careful')
  expect(open().at(place({ isTrusted: false })).preset).toBe('classic')
})

test('comments in a policy stay when a rule is added, changed or taken out', async () => {
  const text = `// Ours.
{
  // As it should be.
  "preset": "careful",
  "rules": [
    // Never by machine.
    ${JSON.stringify(noPush)},
    ${JSON.stringify(builds)} // They are harmless.
  ]
}
`
  const { home, open } = await setup({}, { 'home/policy.jsonc': text })
  const book = open()
  const kept = () => readFile(join(home, 'policy.jsonc'), 'utf8')

  book.addRule({ ...noPush, name: 'more' })
  for (const comment of ['// Ours.', '// As it should be.', '// Never by machine.'])
    expect(await kept()).toContain(comment)
  expect(book.own().rules.map(({ name }) => name)).toEqual(['no-push', 'builds', 'more'])

  book.replace({ preset: 'classic', denyFirst: true, rules: [{ ...noPush, reason: 'No.' }] })
  expect(book.own()).toEqual({ preset: 'classic', denyFirst: true, rules: [{ ...noPush, reason: 'No.' }] })
  for (const comment of ['// Ours.', '// As it should be.', '// Never by machine.'])
    expect(await kept()).toContain(comment)

  book.replace({ rules: [builds, noPush] })
  expect(book.own().rules).toEqual([builds, noPush])
})

test('a policy that is kept is whole, readable and in force at once', async () => {
  const { home, open, judge } = await setup()
  const book = open()

  book.replace({ rules: [noPush] })

  expect(JSON.parse(await readFile(join(home, 'policy.jsonc'), 'utf8'))).toEqual({ rules: [noPush] })
  expect(judge('git push', {}, book)).toBe('deny no-push')
})

test('a preset that the settings fix cannot be changed in the file', async () => {
  const { open } = await setup({ policy: 'careful' })
  expect(() => open().replace({ preset: 'classic', rules: [] })).toThrow(/fix the preset careful/)
  expect(open().replace({ preset: 'careful', rules: [noPush] }).rules).toEqual([noPush])
})

test.each(['careful', 'classic'] as const)(
  'the product’s own files are nobody’s business, in every mode: %s',
  async (preset) => {
    const { home, open, place, workspace } = await setup(
      {},
      { 'home/policy.jsonc': { rules: [{ ...builds, when: {} }] } },
    )
    const policy = open().at(place({ preset }))
    const judge = (tool: string, input: unknown) =>
      evaluate(
        { tool, input, mode: 'bypassPermissions', cwd: workspace, home: '/nowhere', fs: nodeFileSystem() },
        policy,
      ).rule

    expect(judge('Read', { file_path: join(home, 'token') })).toBe('signalbox-files')
    expect(judge('Bash', { command: 'cat ../home/token' })).toBe('signalbox-files')
    expect(judge('Bash', { command: `echo x > ${home}/policy.jsonc` })).toBe('signalbox-files')
    expect(judge('Bash', { command: `cp ${home}/signalbox.db-wal x` })).toBe('signalbox-files')
    expect(judge('Bash', { command: `rm -rf ${home}` })).toBe('signalbox-files')
    expect(judge('Bash', { command: `cat ${home}/logs/a.jsonl` })).toBe('signalbox-files')
    expect(judge('Bash', { command: `cat ${home}/sample-workspace/a.txt` })).toBe('mode')
    expect(judge('Bash', { command: `cat ${home}/tok*` })).toBe('signalbox-files')
    expect(judge('Bash', { command: `grep -r . ${home}` })).toBe('signalbox-files')
  },
)

test('tools that only speak to the conversation are not asked about', async () => {
  const { open, place, workspace } = await setup()
  const policy = open().at(place())
  const judge = (tool: string, input: unknown = {}) =>
    evaluate({ tool, input, mode: 'default', cwd: workspace, home: '/nowhere', fs: nodeFileSystem() }, policy)
      .verdict
  expect(['Task', 'TodoWrite', 'ToolSearch'].map((tool) => judge(tool))).toEqual(Array(3).fill('allow'))
  expect(judge('Skill', { skill: 'review', args: 'src/a.ts' })).toBe('allow')
  expect(judge('AskUserQuestion')).toBe('ask')
})
