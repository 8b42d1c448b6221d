import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { systemClock } from '../../lib/clock.js'
import type { FileMatches } from '../../protocol/compose/workspace-file.js'
import { createWorkspaceNames } from './workspace-names.js'

async function setup(place?: string) {
  const folder = place ?? (await temporaryFolder())
  const faults: unknown[] = []
  const names = createWorkspaceNames({
    ownHomes: [join(folder, 'home')],
    userHome: folder,
    clock: systemClock,
    onFault: (error) => faults.push(error),
  })
  onTestFinished(async () => {
    await names.close()
    expect(faults).toEqual([])
  })
  const root = join(folder, 'project')
  mkdirSync(root)
  const files = async (text: string, limit = 50): Promise<FileMatches> => {
    for (;;) {
      const found = await names.files({ folder: root, text, limit })
      if (found.state === 'ready') return found
    }
  }
  const folders = async (path: string) => (await names.folders(path)).folders.map(({ name }) => name)
  return { folder, root, names, files, folders }
}

test('folders are listed by name, hidden ones last, with where links lead, without files', async () => {
  const { root, folder, names } = await setup()
  for (const name of ['b10', 'b9', '.hidden', 'a/.git']) mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, 'file.ts'), '')
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync('../elsewhere', join(root, 'link'))
  symlinkSync('file.ts', join(root, 'file-link'))

  expect(await names.folders(root)).toEqual({
    folders: [
      { name: 'a', path: join(root, 'a'), isRepository: true },
      { name: 'b9', path: join(root, 'b9'), isRepository: false },
      { name: 'b10', path: join(root, 'b10'), isRepository: false },
      { name: 'link', path: join(folder, 'elsewhere'), isRepository: false },
      { name: '.hidden', path: join(root, '.hidden'), isRepository: false },
    ],
    isWhole: true,
  })
})

test('our home and protected folders are neither listed nor entered, also through links', async () => {
  const { folder, root, names, folders } = await setup()
  for (const name of ['home/logs', 'home/sample-workspace', '.ssh/keys', 'secrets/deep'])
    mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(join(folder, 'home'), join(root, 'to-home'))
  symlinkSync(join(folder, '.ssh/keys'), join(root, 'to-keys'))
  symlinkSync(join(folder, 'home/sample-workspace'), join(root, 'to-sample'))

  expect(await folders(folder)).toEqual(['project'])
  expect(await folders(root)).toEqual(['to-sample'])
  const refused = ['home', 'home/logs', '.ssh', '.ssh/keys', 'secrets', 'secrets/deep']
  for (const name of refused) {
    const path = join(folder, name)
    await expect(names.folders(path)).rejects.toMatchObject({ code: 'workspace_not_allowed' })
    await expect(names.files({ folder: path, text: '', limit: 5 })).rejects.toMatchObject({
      code: 'workspace_not_allowed',
    })
  }
  expect(await folders(join(folder, 'home/sample-workspace'))).toEqual([])
  await expect(names.folders('/proc/self')).rejects.toMatchObject({ code: 'workspace_not_allowed' })
})

test('names with control characters are not listed', async () => {
  const { root, folders } = await setup()
  for (const name of ['ok', 'line\nbreak', 'esc\u001b[2J', '\u202eturned', 'c1\u009b'])
    mkdirSync(join(root, name))

  expect(await folders(root)).toEqual(['ok'])
})

test('a folder that was replaced by a link after the check is refused', async () => {
  const { folder, root, names } = await setup()
  mkdirSync(join(folder, 'outside/private'), { recursive: true })
  mkdirSync(join(root, 'sub'))
  rmSync(join(root, 'sub'), { recursive: true })
  symlinkSync(join(folder, 'outside'), join(root, 'sub'))

  await expect(names.folders(join(root, 'sub'))).rejects.toMatchObject({ code: 'workspace_not_found' })
  await expect(names.folders(join(root, 'sub/private'))).rejects.toMatchObject({
    code: 'workspace_not_found',
  })
  expect((await names.files({ folder: join(root, 'sub'), text: '', limit: 5 })).files).toEqual([])
})

test('a folder that is swapped with a link again and again never shows what is behind the link', async () => {
  const { folder, root, names } = await setup()
  mkdirSync(join(folder, 'outside/private'), { recursive: true })
  const [real, link, away] = [join(root, 'sub'), join(folder, 'link'), join(folder, 'away')]
  mkdirSync(join(real, 'own'), { recursive: true })
  symlinkSync(join(folder, 'outside'), link)
  const seen = new Set<string>()
  for (let count = 0; count < 150; count += 1) {
    const listing = names.folders(real).then(
      ({ folders }) => folders.map(({ name }) => name).join(),
      () => 'refused',
    )
    for (let step = 0; step < count % 7; step += 1) await Promise.resolve()
    if (count % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
    renameSync(real, away)
    renameSync(link, real)
    seen.add(await listing)
    renameSync(real, link)
    renameSync(away, real)
  }
  expect([...seen].filter((names_) => names_.includes('private'))).toEqual([])
  expect(seen.size).toBeGreaterThan(0)
})

test('what is missing, no folder, or a loop of links cannot be listed', async () => {
  const { root, names } = await setup()
  writeFileSync(join(root, 'file'), '')
  symlinkSync('loop', join(root, 'loop'))

  for (const name of ['missing', 'file', 'loop', 'file/below'])
    await expect(names.folders(join(root, name))).rejects.toMatchObject({ code: 'workspace_not_found' })
})

test.skipIf(process.getuid?.() === 0)(
  'a folder without rights to read is refused, and left out of a search',
  async () => {
    const { root, names, files } = await setup()
    mkdirSync(join(root, 'closed/deep'), { recursive: true })
    writeFileSync(join(root, 'closed/a.ts'), '')
    chmodSync(join(root, 'closed'), 0)
    onTestFinished(() => chmodSync(join(root, 'closed'), 0o700))

    await expect(names.folders(join(root, 'closed'))).rejects.toMatchObject({ code: 'workspace_not_found' })
    expect((await files('')).files).toEqual([{ path: 'closed/', kind: 'folder' }])
  },
)

test('a folder of 100,000 files is searched whole and listed in part, and others get their turn meanwhile', async () => {
  // In memory where that is possible: creating the files takes most of the time of this test.
  const folder = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/signalbox-') : await temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { root, names, files } = await setup(folder)
  mkdirSync(join(root, 'many'))
  execFileSync('sh', ['-c', 'seq 1 100000 | xargs touch; seq -f dir%g 1 1200 | xargs mkdir'], {
    cwd: join(root, 'many'),
  })
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  })

  const { files: found, total, isWhole } = await files('99876')
  expect({ found, total, isWhole }).toEqual({
    found: [{ path: 'many/99876', kind: 'file' }],
    total: 101_201,
    isWhole: true,
  })
  expect(turns).toBeGreaterThan(20)
  const listing = await names.folders(join(root, 'many'))
  expect([listing.folders.length, listing.isWhole, listing.folders[0]?.name]).toEqual([1_000, false, 'dir1'])
  clearInterval(timer)
}, 60_000)

test('an index is kept up to date, and the answer says when it may be behind', async () => {
  const folder = await temporaryFolder()
  const clock = createManualClock()
  const names = createWorkspaceNames({ ownHomes: [], userHome: folder, clock, onFault: () => {} })
  onTestFinished(() => names.close())
  const search = () => names.files({ folder, text: '.ts', limit: 5 })
  writeFileSync(join(folder, 'a.ts'), '')
  expect(await search()).toEqual({
    files: [{ path: 'a.ts', kind: 'file' }],
    total: 1,
    state: 'ready',
    isWhole: true,
  })

  writeFileSync(join(folder, 'b.ts'), '')
  expect(await search()).toMatchObject({ total: 1, state: 'ready' })
  clock.advance(1_000)
  expect(await search()).toMatchObject({ total: 1, state: 'refreshing' })
  await expect.poll(search).toMatchObject({ total: 2, state: 'ready' })
  const idleMs = 11 * 60_000
  clock.advance(idleMs)
  clock.advance(idleMs)
  expect(clock.timers()).toBe(0)
})

test('of several equal matches the first by name are returned, as many as were asked for', async () => {
  const { root, files } = await setup()
  for (const name of ['c.ts', 'a.ts', 'b.ts']) writeFileSync(join(root, name), '')
  expect((await files('.ts', 2)).files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts'])
})
