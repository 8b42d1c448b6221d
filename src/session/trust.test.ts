import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { isTrusted } from '../protocol/workspace.js'
import { findTrust } from './trust.js'

async function setup() {
  const root = await realpath(await temporaryFolder())
  const at = (...names: string[]) => join(root, ...names)
  const put = async (path: string, text = '') => {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), text)
  }
  await mkdir(at('home/work/proj/sub'), { recursive: true })
  const ask = (cwd: string, trusted: string[], more: string[] = []) =>
    findTrust({
      cwd: at(cwd),
      trusted: trusted.map((path) => ({ path: at(path) })),
      userHome: at('home'),
      more: more.map((path) => at(path)),
    })
  return { root, at, put, ask }
}

test('trust holds for what is below a folder, and for nothing beside it', () => {
  expect(isTrusted('/a/b', [{ path: '/a' }])).toBe(true)
  expect(isTrusted('/ab', [{ path: '/a' }])).toBe(false)
  expect(isTrusted('/a', [{ path: '/' }])).toBe(true)
})

test('an untrusted folder above, with settings of its own, is reported', async () => {
  const { at, put, ask } = await setup()
  await put('home/work/.claude/skills/x/SKILL.md')
  expect(await ask('home/work/proj', ['home/work/proj'])).toMatchObject({
    isTrusted: true,
    strangers: [at('home/work')],
  })
  expect((await ask('home/work/proj/sub', ['home/work/proj'])).strangers).toEqual([at('home/work')])
  expect((await ask('home/work/proj', ['home/work'])).strangers).toEqual([])
  expect(await ask('home/work/proj', [])).toEqual({ isTrusted: false, strangers: [], excludedMemory: [] })
})

test('the home of the user is their own; what is above it is not', async () => {
  const { at, put, ask } = await setup()
  await put('home/.claude/settings.json', '{}')
  expect((await ask('home/work/proj', ['home/work/proj'])).strangers).toEqual([])
  await put('.claude/agents/x.md')
  expect((await ask('home/work/proj', ['home/work/proj'])).strangers).toEqual([at()])
})

test('the root of a git repository ends the search, a damaged one does not', async () => {
  const { at, put, ask } = await setup()
  await put('home/work/.claude/skills/x/SKILL.md')
  await put('home/work/proj/.git/config')
  expect((await ask('home/work/proj', ['home/work/proj'])).strangers).toEqual([at('home/work')])
  await put('home/work/proj/.git/HEAD', 'ref: refs/heads/main')
  expect((await ask('home/work/proj/sub', ['home/work/proj'])).strangers).toEqual([])
  // A folder of a repository that is not trusted as a whole.
  expect((await ask('home/work/proj/sub', ['home/work/proj/sub'])).strangers).toEqual([])
  await put('home/work/proj/.claude/commands/x.md')
  expect((await ask('home/work/proj/sub', ['home/work/proj/sub'])).strangers).toEqual([at('home/work/proj')])
})

test('a linked working tree brings the main one along, and more folders count too', async () => {
  const { at, put, ask } = await setup()
  await put('main/.git/HEAD', 'ref: x')
  await put('main/.git/worktrees/w/commondir', '../..\n')
  await put('main/.claude/skills/x/SKILL.md')
  await put('home/work/proj/.git', `gitdir: ${at('main/.git/worktrees/w')}\n`)
  expect((await ask('home/work/proj', ['home/work/proj'])).strangers).toEqual([at('main')])
  expect((await ask('home/work/proj', ['home/work/proj', 'main'])).strangers).toEqual([])

  await put('other/.claude/skills/x/SKILL.md')
  await symlink(at('other'), at('link'))
  expect((await ask('home/work/proj', ['home/work/proj', 'main'], ['link'])).strangers).toEqual([at('other')])
})

test('memory of every strange folder above is left out, by names that mean nothing else', async () => {
  const { at, ask } = await setup()
  await mkdir(at('home/a (b) [c]*/proj'), { recursive: true })
  const { excludedMemory } = await ask('home/a (b) [c]*/proj', ['home/a (b) [c]*/proj'])
  expect(excludedMemory).toContain(`${at('home')}/a ?b? ?c??/CLAUDE.md`)
  expect(excludedMemory).toContain('/CLAUDE.md')
  expect(excludedMemory).toContain(`${dirname(at())}/.claude/rules/**`)
  expect(excludedMemory.some((pattern) => pattern.startsWith(`${at('home')}/CLAUDE`))).toBe(false)
  expect(excludedMemory.some((pattern) => pattern.includes('/proj/'))).toBe(false)
})
