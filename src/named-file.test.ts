import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.js'
import { Config } from './config.js'
import { openHome } from './home.js'
import { filesNamed, findForeignSetting, refuseForeignSetting } from './named-file.js'

const isRoot = process.geteuid?.() === 0

async function setup() {
  const folder = await temporaryFolder()
  const home = join(folder, 'home')
  await mkdir(home, { mode: 0o700 })
  const file = join(folder, 'named.jsonc')
  await writeFile(file, '{}', { mode: 0o600 })
  return { folder, home, file }
}

/** Each setting that names a file, with what it is set to. */
const settings: [string, (file: string) => Record<string, unknown>][] = [
  ['policy', (file) => ({ policy: file })],
  ['claudePath', (file) => ({ claudePath: file })],
  ['tlsKey', (file) => ({ tlsKey: file, tlsCert: '/no/such/file' })],
  ['tlsCert', (file) => ({ tlsCert: file, tlsKey: '/no/such/file' })],
  ['tools', (file) => ({ tools: [file] })],
  [
    'hooks.PreToolUse',
    (file) => ({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `sh "${file}" x` }] }] } }),
  ],
  [
    'hooks.Stop',
    (file) => ({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'sh', args: [file] }] }] } }),
  ],
  ['mcpServers.kit', (file) => ({ mcpServers: { kit: { command: 'node', args: [file] } } })],
  ['mcpServers.own', (file) => ({ defaults: { mcpServers: { own: { command: file } } } })],
]

test.each(settings)(
  '%s is refused where other users could write the file, with the fix',
  async (setting, make) => {
    const { home, file } = await setup()
    const config = Config.parse(make(file))
    expect(filesNamed(config, home).map((named) => named.path)).toContain(file)
    expect(findForeignSetting(config, home)).toBeNull()
    await chmod(file, 0o666)
    expect(() => refuseForeignSetting(config, home)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringContaining(`chmod go-w ${file}`),
      }),
    )
    expect(findForeignSetting(config, home)).toMatchObject({ setting, path: file })
  },
)

test('a folder above counts, by every name of the file; a sticky one protects what is in it', async () => {
  const { folder, home, file } = await setup()
  const open = join(folder, 'open')
  await mkdir(open)
  await writeFile(join(open, 'policy.jsonc'), '{}', { mode: 0o600 })
  await symlink(join(open, 'policy.jsonc'), join(folder, 'link.jsonc'))
  await symlink(file, join(open, 'back.jsonc'))
  await chmod(open, 0o777)
  for (const policy of ['open/policy.jsonc', 'link.jsonc', 'open/back.jsonc'])
    expect(findForeignSetting(Config.parse({ policy: join(folder, policy) }), home)?.found).toContain(open)
  await chmod(open, 0o1777)
  for (const policy of ['open/policy.jsonc', 'link.jsonc', 'open/back.jsonc'])
    expect(findForeignSetting(Config.parse({ policy: join(folder, policy) }), home)).toBeNull()
})

test.runIf(isRoot)('a file, or a folder above it, that belongs to another user is refused', async () => {
  const { folder, home, file } = await setup()
  const config = Config.parse({ policy: file })
  await chown(file, 65_534, 65_534)
  expect(findForeignSetting(config, home)?.found).toContain(`${file} belongs to another user`)
  await chown(file, 0, 0)
  await chown(folder, 65_534, 65_534)
  expect(findForeignSetting(config, home)?.found).toContain(`${folder} belongs to another user`)
  expect(() => openHome(home)).toThrow(`${folder} belongs to another user`)
})

test('presets, programs in PATH and words that are no files name nothing', async () => {
  const { home } = await setup()
  const hooks = {
    Stop: [{ hooks: [{ type: 'command' as const, command: 'notify /no/such/file --x=/tmp' }] }],
  }
  const config = Config.parse({ policy: 'careful', hooks, mcpServers: { kit: { command: 'node' } } })
  expect(filesNamed(config, home)).toEqual([])
})
