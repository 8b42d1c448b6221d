import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { narrowOptions, WorkspaceFile } from './workspace-file.js'

test('limits of a workspace hold where they are narrower, and never where they are wider', () => {
  const home = { maxTurns: 10, disallowedTools: ['WebFetch'], tools: ['Read', 'Write'] }
  const { defaults } = WorkspaceFile.parse({
    defaults: {
      maxTurns: 50,
      maxBudgetUsd: 2,
      disallowedTools: ['Bash'],
      tools: ['Read', 'Bash'],
      effort: 'low',
    },
  })
  expect(narrowOptions(home, { defaults })).toEqual({
    maxTurns: 10,
    maxBudgetUsd: 2,
    disallowedTools: ['WebFetch', 'Bash'],
    tools: ['Read'],
    effort: 'low',
  })
  expect(narrowOptions({ maxBudgetUsd: 9 }, { defaults }).maxBudgetUsd).toBe(2)
})

test.each(['allowedTools', 'additionalDirectories', 'settingSources', 'sandbox', 'plugins', 'env'])(
  'a workspace has no say in %s',
  (name) => {
    expect(WorkspaceFile.safeParse({ defaults: { [name]: [] } }).success).toBe(false)
  },
)

test('a workspace may require the read-only jail and ask for unproven commands, and nothing looser', () => {
  expect(WorkspaceFile.safeParse({ readOnlyJail: 'require', unproven: 'ask' }).success).toBe(true)
  expect(WorkspaceFile.safeParse({ readOnlyJail: 'off' }).success).toBe(false)
  expect(WorkspaceFile.safeParse({ readOnlyJail: 'auto' }).success).toBe(false)
  expect(WorkspaceFile.safeParse({ unproven: 'jail' }).success).toBe(false)
})

test('sessions of a trusted workspace are run with its defaults, under what was asked for; others are not', async () => {
  const { cwd, folder, hub, store, claudes, createSession, events } = await createTestRuntime({
    defaults: { maxTurns: 7, effort: 'high' },
  })
  const other = join(folder, 'other')
  await mkdir(other)
  for (const place of [cwd, other])
    await writeFile(
      join(place, '.signalbox.jsonc'),
      '{ // ours\n "defaults": { "effort": "low", "maxTurns": 50, "fallbackModel": "small" } }',
    )
  await store.trust({ machine: 'local', path: cwd, trustedAt: '2026-11-15T12:00:00.000Z', trustedBy: 'kim' })
  const launched = async (more: Parameters<typeof createSession>[1]) => {
    const { length } = claudes.started
    const { id } = await createSession('go', more)
    await expect.poll(() => claudes.started.length).toBe(length + 1)
    const { effort, maxTurns, fallbackModel } = claudes.started.at(-1)?.launch.options ?? {}
    return { id, options: { effort, maxTurns, fallbackModel } }
  }

  expect((await launched({})).options).toEqual({ effort: 'low', maxTurns: 7, fallbackModel: 'small' })
  expect((await launched({ options: { effort: 'max' } })).options.effort).toBe('max')
  expect((await launched({ cwd: other })).options).toEqual({ effort: 'high', maxTurns: 7 })

  await writeFile(join(cwd, '.signalbox.jsonc'), '{ "port": 1 }')
  const { id, options } = await launched({})
  expect(options).toEqual({ effort: 'high', maxTurns: 7 })
  const isTold = async () => (await events(id)).some((event) => event.type === 'error.raised')
  await expect.poll(isTold).toBe(true)
  await hub.stop(id, undefined, { who: 'kim', via: 'api' })
})
