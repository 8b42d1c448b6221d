/** The filters of the search. */

import { expect, test } from 'vitest'
import { messageQueued, textEnded } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { createClient } from '../client/client.js'
import type { EventDraft } from '../protocol/event/event.js'

const called = (name: string): EventDraft => ({
  type: 'tool.requested',
  data: { toolUseId: `toolu_${name}`, name, input: { text: 'lantern' } },
})

test('a search is narrowed by session, folder, tool, user and time', async () => {
  const { client, journal, createSession, cwd } = await createServedRuntime()
  const [one, other] = [await createSession(), await createSession()]
  await journal.append(one.id, [
    messageQueued('lantern'),
    called('Bash'),
    called('Read'),
    textEnded('lantern'),
  ])
  await journal.append(other.id, [messageQueued('lantern')])
  const seqs = async (filter: object) =>
    (await client.search({ query: { q: 'lantern', ...filter } })).results.map(({ sessionId, seq }) =>
      sessionId === one.id ? seq : 'other',
    )
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

  expect(await seqs({})).toEqual(['other', 5, 4, 3, 2])
  expect(await seqs({ sessionId: one.id })).toEqual([5, 4, 3, 2])
  expect(await seqs({ tool: 'bash' })).toEqual([3])
  expect(await seqs({ user: 'Kim' })).toEqual(['other', 2])
  expect(await seqs({ user: 'kim', tool: 'Bash' })).toEqual([])
  expect(await seqs({ user: 'lee' })).toEqual([])
  expect(await seqs({ folder: cwd, limit: 2 })).toEqual(['other', 5])
  expect(await seqs({ folder: `${cwd}/none` })).toEqual([])
  expect(await seqs({ since: tomorrow })).toEqual([])
  expect(await seqs({ until: tomorrow, tool: 'Read' })).toEqual([4])
  await expect(seqs({ since: 'yesterday' })).rejects.toMatchObject({ code: 'request_invalid' })
})

test('a viewer does not find out by the filter of a folder what is hidden in its name', async () => {
  const { url, access, client, secrets, createSession, journal, cwd } = await createServedRuntime()
  const { id } = await createSession()
  await journal.append(id, [messageQueued('lantern')])
  const { secret } = await access.createToken({ name: 'a viewer', role: 'viewer' })
  const viewer = createClient({ url, token: secret })
  const query = { q: 'lantern', folder: cwd }
  expect((await viewer.search({ query })).results).toHaveLength(1)

  secrets.learn([cwd.split('/').at(-1) ?? ''])

  expect((await viewer.search({ query })).results).toEqual([])
  expect((await client.search({ query })).results).toHaveLength(1)
})
