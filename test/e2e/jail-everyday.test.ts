/**
 * Commands in the jail with the real CLI in every mode: no prompts, and each result is as it would be without
 * the jail.
 */

import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PermissionMode } from '../../src/protocol/value.js'
import { aPerson } from '../support/build.js'
import { EVERYDAY_COMMANDS } from '../support/everyday-commands.js'
import { hasBubblewrap } from '../support/jail.js'
import { createRealRuntime, makeFolders } from '../support/real-runtime.js'

const AT_ONCE = 10

async function setup() {
  const place = await makeFolders()
  await mkdir(join(place.cwd, 'src'))
  await writeFile(join(place.cwd, 'src', 'a.txt'), 'hello there\nx: y\n')
  await writeFile(join(place.cwd, 'src', 'b.sh'), 'rm -rf build\n')
  await writeFile(join(place.cwd, 'src', 'c.json'), '{ "name": "c", "list": [1, 2, 3] }\n')
  await writeFile(join(place.cwd, '.env'), 'KEY=canary-of-the-file\n')
  execFileSync(
    '/bin/bash',
    ['-ec', 'git init -q -b main; git add src; git -c user.name=a -c user.email=a@b commit -qm first'],
    { cwd: place.cwd },
  )
  const calls = EVERYDAY_COMMANDS.map((command, index) => ({
    tool: 'Bash',
    input: { command },
    id: `toolu_${index}`,
  }))
  // Several in one message, so that the model has fewer turns.
  const messages = Array.from({ length: Math.ceil(calls.length / AT_ONCE) }, (_, index) =>
    calls.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  )
  const rules = messages.map((reply, index) => ({
    when: index === 0 ? { user: 'go' } : { toolResult: 'Bash' },
    times: 1,
    reply,
  }))
  const script = { rules: [...rules, { reply: [{ text: 'Done.' }] }] }
  const runtime = await createRealRuntime(place, script, { readOnlyJail: 'auto' })
  await runtime.runtime.jail.verify()
  return runtime
}

describe.skipIf(!hasBubblewrap)('everyday commands', () => {
  test('there are at least sixty', () => {
    expect(EVERYDAY_COMMANDS.length).toBeGreaterThanOrEqual(60)
  })

  test.each<PermissionMode>(['default', 'plan', 'acceptEdits', 'dontAsk'])(
    'in the mode %s none is asked or denied, and all run in the jail',
    { timeout: 180_000 },
    async (permissionMode) => {
      const runtime = await setup()
      const { id } = await runtime.hub.createSession(
        { cwd: runtime.cwd, prompt: 'go', permissionMode },
        aPerson,
      )
      // Until the end of the turn, or until a request is raised.
      await expect
        .poll(
          async () => {
            const { turns, turn, pendingRequests } = await runtime.hub.session(id)
            return pendingRequests.length > 0 || (turns > 0 && turn === null)
          },
          { timeout: 150_000, interval: 100 },
        )
        .toBe(true)
      const events = await runtime.events(id)

      const asked = events.flatMap((event) => (event.type === 'permission.requested' ? [event.data] : []))
      expect(asked.map(({ title, reason }) => [title, reason])).toEqual([])
      const ended = events.flatMap((event) => (event.type === 'tool.ended' ? [event.data] : []))
      expect(ended).toHaveLength(EVERYDAY_COMMANDS.length)
      const failed = ended.filter(({ outcome }) => outcome !== 'completed')
      expect(
        failed.map(({ toolUseId, error }) => [EVERYDAY_COMMANDS[Number(toolUseId.slice(6))], error]),
      ).toEqual([])
      const started = events.flatMap((event) => (event.type === 'tool.started' ? [event.data] : []))
      const outside = started.filter(({ jail }) => jail !== true)
      expect(outside.map(({ toolUseId }) => EVERYDAY_COMMANDS[Number(toolUseId.slice(6))])).toEqual([])
      expect(runtime.sent()).not.toContain('canary-of-the-file')
      expect(runtime.sent()).not.toContain('jail/enter')
    },
  )
})
