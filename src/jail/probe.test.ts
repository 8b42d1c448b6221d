/** The probes find a jail that does not hold: one hole, and it is not used. */

import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { hasBubblewrap, makeJailPlace } from '../../test/support/jail.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { share } from '../../test/support/when-done.js'
import { reason, reasonText, saying } from '../protocol/reason/reason.js'
import { createJail, type JailedCommand } from './jail.js'
import { findEscapes } from './probe.js'

type Words = readonly string[]

describe.skipIf(!hasBubblewrap)('escape probes', () => {
  const shared = share(makeJailPlace, 60_000)
  let undo = () => {}
  afterEach(() => undo())

  /** The real jail with something of its arguments, or of what is wrapped, changed. */
  async function probe(
    weaken: (words: Words) => Words,
    change = (text: string) => text,
  ): Promise<string | null> {
    const { folder, home, jail } = shared()
    const wrap = async (command: JailedCommand) => {
      const wrapped = await jail.wrap(command)
      if ('problem' in wrapped) return wrapped
      const args = join(home, 'jail', 'run', wrapped.id, 'args')
      const words = readFileSync(args, 'utf8').split('\0').slice(0, -1)
      writeFileSync(args, [...weaken(words), ''].join('\0'))
      return { ...wrapped, command: change(wrapped.command) }
    }
    const escape = await findEscapes({ folder: join(folder, 'probe'), wrap })
    return escape && reasonText([escape])
  }

  /** The launcher with something of its text changed, until the end of the test. */
  function changeLauncher(change: (text: string) => string): void {
    const path = join(shared().home, 'jail', 'launch')
    const before = readFileSync(path, 'utf8')
    const after = change(before)
    expect(after).not.toBe(before)
    chmodSync(path, 0o600)
    writeFileSync(path, after)
    undo = () => writeFileSync(path, before)
  }

  /** Replaces each run of words that begins with `flag` and fits. */
  const without =
    (flag: string, count: number, fits: (words: Words) => boolean, by: Words = []) =>
    (words: Words) => {
      const found: string[] = []
      for (let index = 0; index < words.length; index++) {
        const part = words.slice(index + 1, index + 1 + count)
        const isMeant = words[index] === flag && fits(part)
        found.push(...(isMeant ? by : [words[index] ?? '']))
        if (isMeant) index += count
      }
      expect(found).not.toEqual(words)
      return found
    }
  const adding =
    (...more: string[]) =>
    (words: Words) => [...more, ...words]

  test('nothing is found in the jail as it is', async () => {
    expect(await probe((words) => words)).toBeNull()
  })

  test.each<[string, (words: Words) => Words]>([
    [
      'a writable workspace',
      (words) =>
        words.map((word, at) =>
          word === '--ro-bind' && words[at + 1]?.endsWith('/workspace') ? '--bind' : word,
        ),
    ],
    [
      'the folder around the workspace',
      (words) => words.map((word) => (word.endsWith('/workspace') ? dirname(word) : word)),
    ],
    ['all of /usr', adding('--ro-bind', '/usr', '/usr')],
    ['the host network', (words) => [...words.slice(0, 1), '--share-net', ...words.slice(1)]],
    ['no system call filter', without('--seccomp', 1, () => true)],
    ['visible protected files', without('--ro-bind', 2, ([source]) => source?.endsWith('/hidden') === true)],
    ['variables of the host', (words) => [...words, '--setenv', 'X', 'signalbox-canary-5f0e1c']],
    [
      'root inside',
      (words) =>
        words.map((word, at) => (words[at - 1] === '--uid' || words[at - 1] === '--gid' ? '0' : word)),
    ],
    [
      'processes of the host',
      without('--unshare-all', 0, () => true, ['--unshare-net', '--unshare-ipc', '--unshare-uts']),
    ],
    ['a writable proc', without('--remount-ro', 1, ([path]) => path === '/proc')],
    ['a run folder', adding('--ro-bind', '/run', '/run')],
  ])('%s is found', async (_, weaken) => {
    expect(await probe(weaken)).toMatch(/./)
  })

  test.each<[string, (text: string) => string]>([
    ['inherited descriptors', (text) => text.replace(/^for fd in .*$/m, '')],
    [
      'the environment of its first process',
      (text) => text.replace('exec /', 'export SIGNALBOX_PROBE_SECRET=signalbox-canary-5f0e1c; exec /'),
    ],
    ['no jail at all', (text) => text.replace(/\/usr\/bin\/bwrap --args 8 --info-fd 10 --/, '')],
  ])('%s is found in the launcher', async (_, change) => {
    changeLauncher(change)
    expect(await probe((words) => words)).toMatch(/./)
  })

  test('a jail that does nothing is found', async () => {
    expect(
      await probe(
        (words) => words,
        () => 'true',
      ),
    ).toMatch(/./)
  })

  test('a jail that fails its probes is off, says why, and wraps nothing', async () => {
    const home = await temporaryFolder()
    const jail = createJail({ home, claudeProgram: null, mark: 'M', platform: 'linux', arch: 'mips' })

    expect(await jail.verify()).toEqual({
      state: 'unavailable',
      kind: null,
      ...saying(reason('jail.arch', { arch: 'mips' })),
    })
    expect(await jail.wrap({ command: 'ls', cwd: home, workspace: home, env: {} })).toEqual({
      problem: reason('jail.arch', { arch: 'mips' }),
    })
  })

  test('before it is verified there is no jail', async () => {
    const { cwd } = shared()
    const home = await temporaryFolder()
    await mkdir(join(home, 'w'))
    const jail = createJail({ home, claudeProgram: null, mark: 'M', platform: 'linux', arch: process.arch })

    expect(jail.status.state).toBe('checking')
    expect(await jail.wrap({ command: 'ls', cwd, workspace: cwd, env: {} })).toEqual({
      problem: reason('jail.checking'),
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
