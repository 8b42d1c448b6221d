/** What git could show of protected files is not in the jail. */

import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBubblewrap, makeJailPlace, runJailed } from '../../test/support/jail.js'

const CANARY = 'canary-in-the-history'

describe.skipIf(!hasBubblewrap)('the history of a repository', () => {
  async function setup() {
    const place = await makeJailPlace()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', place.cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        stdio: 'ignore',
      })
    const commit = async (name: string, text: string) => {
      await writeFile(join(place.cwd, name), text)
      git('add', '-f', name)
      git('commit', '-m', name)
    }
    git('init', '-b', 'main')
    await commit('a.txt', 'one\n')
    const wrap = (needsGit: boolean) =>
      place.jail.wrap({ command: 'git log', cwd: place.cwd, workspace: place.cwd, env: {}, needsGit })
    /** A first look takes its time, and until then the history counts as not clean. */
    const isShown = () => expect.poll(async () => 'command' in (await wrap(true)), { timeout: 15_000 })
    return { place, git, commit, wrap, isShown }
  }

  test('that never held a protected file is shown, also after further commits', {
    timeout: 60_000,
  }, async () => {
    const { place, commit, isShown } = await setup()
    await isShown().toBe(true)
    expect((await runJailed('git log --format=%s', place)).output.toString()).toBe('a.txt\n')

    await commit('b.txt', 'two\n')

    await isShown().toBe(true)
    expect((await runJailed('git show HEAD:b.txt', place)).output.toString()).toBe('two\n')
  })

  test.each<[string, (parts: Awaited<ReturnType<typeof setup>>) => Promise<unknown>]>([
    ['in a commit', ({ commit }) => commit('.env', CANARY)],
    [
      'in a commit that was undone',
      async ({ commit, git }) => {
        await commit('.env', CANARY)
        git('reset', '--hard', 'HEAD~1')
      },
    ],
    [
      'only in the index',
      async ({ place, git }) => {
        await writeFile(join(place.cwd, '.env'), CANARY)
        git('add', '-f', '.env')
        await rm(join(place.cwd, '.env'))
      },
    ],
    [
      'in the stash',
      async ({ place, git }) => {
        await writeFile(join(place.cwd, 'server.pem'), CANARY)
        git('stash', '-u')
      },
    ],
  ])('with a protected file %s is hidden', { timeout: 60_000 }, async (_, change) => {
    const parts = await setup()
    await parts.isShown().toBe(true)

    await change(parts)

    expect(await parts.wrap(true)).toMatchObject({ problem: expect.stringContaining('history') })
    const look =
      'git show HEAD:.env; git show :.env; git log -p --all --reflog; git stash show -p --include-untracked'
    expect((await runJailed(look, parts.place)).output.toString()).not.toContain(CANARY)
    // What needs no git still runs.
    expect((await runJailed('cat a.txt', parts.place)).output.toString()).toBe('one\n')
  })
})
