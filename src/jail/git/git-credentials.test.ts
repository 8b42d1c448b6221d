/** A password or token in the configuration of git is not visible in the jail. */

import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { hasBubblewrap, runJailed, shareJail } from '../../../test/support/jail.js'
import { reason } from '../../protocol/reason/reason.js'

const CANARY = 'ghs_canary'

describe.skipIf(!hasBubblewrap)('a password or token in the configuration of git', () => {
  const makePlace = shareJail()

  async function repository(url: string) {
    const place = await makePlace()
    const git = (...words: string[]) => spawnSync('git', ['-C', place.cwd, ...words])
    git('init', '-q')
    git('remote', 'add', 'origin', url)
    return place
  }

  test.each(['cat .git/config', 'find . -type f -exec cat {} +', 'grep -rn url .git'])(
    '%s does not show it',
    async (command) => {
      const place = await repository(`https://user:${CANARY}@example.com/a.git`)
      const { output } = await runJailed(command, place)
      expect(output.toString()).not.toContain(CANARY)
    },
  )

  test('git needs the file, so its command does not run in the jail', async () => {
    const place = await repository(`https://user:${CANARY}@example.com/a.git`)
    const command = 'git config --get-all remote.origin.url'
    const wrapped = await place.jail.wrap({
      command,
      ...place,
      workspace: place.cwd,
      env: {},
      git: 'content',
    })
    expect(wrapped).toEqual({ problem: reason('jail.git-credentials') })
  })

  test('a configuration without one is visible', async () => {
    const place = await repository('https://example.com/a.git')
    const { output } = await runJailed('cat .git/config', place)
    expect(output.toString()).toContain('url = https://example.com/a.git')
  })
})
