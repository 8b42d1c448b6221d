/** The daemon with the settings that it has by default: it tests the jail when it starts, and uses it. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allEvents, makePlace, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { hasBubblewrap } from '../support/jail.js'

const COMMAND = 'for f in *.txt; do wc -l "$f"; done'

test.skipIf(!hasBubblewrap)('what cannot be proved to be read-only runs in the jail, unasked', async () => {
  const place = await makePlace(() => ({
    rules: [
      { when: { user: 'count' }, reply: [{ tool: 'Bash', input: { command: COMMAND } }] },
      { reply: [{ text: '{{toolResult}}' }] },
    ],
  }))
  const { SIGNALBOX_READ_ONLY_JAIL: _, ...env } = place.env
  await writeFile(join(place.cwd, 'a.txt'), 'one\n')
  const daemon = await startDaemonProcess({ ...place, env })
  const { client } = daemon
  await expect.poll(async () => (await client.about()).about.jail?.state).toBe('verified')

  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'count' } })
  const { lastText } = await sessionWhen(
    client,
    session.id,
    ({ state, turns }) => state === 'idle' && turns > 0,
  )

  expect(lastText).toContain('1 a.txt')
  const started = (await allEvents(client, session.id)).find(({ type }) => type === 'tool.started')
  expect(started?.data).toMatchObject({ jail: true })
  await daemon.stop()
})
