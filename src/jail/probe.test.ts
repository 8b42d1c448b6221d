/** The probes find a jail that does not hold: one hole, and it is not used. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBubblewrap, makeJailPlace } from '../../test/support/jail.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { share } from '../../test/support/when-done.js'
import { createJail, type JailedCommand } from './jail.js'
import { findEscapes } from './probe.js'

describe.skipIf(!hasBubblewrap)('escape probes', () => {
  const shared = share(makeJailPlace, 60_000)

  /** The real jail with something of its text changed. */
  async function probe(weaken: (text: string) => string): Promise<string | null> {
    const { folder, jail } = shared()
    const wrap = async (command: JailedCommand) => {
      const wrapped = await jail.wrap(command)
      return 'command' in wrapped ? { command: weaken(wrapped.command) } : wrapped
    }
    return findEscapes({ folder: join(folder, 'probe'), wrap })
  }

  test('nothing is found in the jail as it is', async () => {
    expect(await probe((text) => text)).toBeNull()
  })

  test.each<[string, (text: string) => string]>([
    ['a writable workspace', (text) => text.replaceAll(/--ro-bind (\S+workspace) /g, '--bind $1 ')],
    ['everything bound', (text) => text.replace('--proc /proc', '--ro-bind / / --proc /proc')],
    ['the host network', (text) => text.replace('--unshare-all', '--unshare-all --share-net')],
    ['no system call filter', (text) => text.replace('--seccomp 9', '')],
    ['visible protected files', (text) => text.replaceAll(/--ro-bind \S+\/hidden \S+/g, '')],
    [
      'variables of the host',
      (text) => text.replace('--clearenv', '').replace('/usr/bin/env -i', '/usr/bin/env'),
    ],
    ['the environment of its first process', (text) => text.replace('/usr/bin/env -i', '/usr/bin/env')],
    ['inherited descriptors', (text) => text.replace(/for f in \/proc\/self\/fd\/\*; .*? done; /, '')],
    ['root inside', (text) => text.replace(/--uid \d+ --gid \d+/, '--uid 0 --gid 0')],
    [
      'processes of the host',
      (text) => text.replace('--unshare-all', '--unshare-user --unshare-net --unshare-ipc --unshare-uts'),
    ],
    ['a writable proc', (text) => text.replace('--remount-ro /proc', '')],
    ['a run folder', (text) => text.replace('--proc /proc', '--ro-bind /run /run --proc /proc')],
    ['a jail that does nothing', () => 'true'],
    ['no jail at all', (text) => text.replace(/\/usr\/bin\/bwrap .*? -- /, '')],
  ])('%s is found', async (_, weaken) => {
    expect(await probe(weaken)).toMatch(/./)
  })

  test('a jail that fails its probes is off, says why, and wraps nothing', async () => {
    const home = await temporaryFolder()
    const jail = createJail({ home, claudeProgram: null, mark: 'M', platform: 'linux', arch: 'mips' })

    expect(await jail.verify()).toEqual({
      state: 'unavailable',
      kind: null,
      reason: 'The system calls of mips are not known.',
    })
    expect(await jail.wrap({ command: 'ls', cwd: home, workspace: home, env: {} })).toEqual({
      problem: 'The system calls of mips are not known.',
    })
  })

  test('before it is verified there is no jail', async () => {
    const { cwd } = shared()
    const home = await temporaryFolder()
    await mkdir(join(home, 'w'))
    const jail = createJail({ home, claudeProgram: null, mark: 'M', platform: 'linux', arch: process.arch })

    expect(jail.status.state).toBe('checking')
    expect(await jail.wrap({ command: 'ls', cwd, workspace: cwd, env: {} })).toEqual({
      problem: 'It is being tested.',
    })
  })
})

test('on another system there is no jail, and the reason says so', async () => {
  const home = await temporaryFolder()
  const jail = createJail({ home, claudeProgram: null, mark: 'M', platform: 'darwin', arch: 'arm64' })

  expect(await jail.verify()).toMatchObject({
    state: 'unavailable',
    reason: expect.stringContaining('no jail for darwin'),
  })
})
