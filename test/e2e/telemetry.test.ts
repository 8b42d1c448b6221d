/** The export of a real daemon: what the real CLI does arrives at a collector, and its programs know their trace. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { traceIdOf, traceparentOf } from '../../src/lib/trace-id.js'
import { allEvents, makePlace, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { startCollector } from '../support/otlp-collector.js'

test('a turn of a session is a part of its trace, and so are the programs that it runs', async () => {
  const place = await makePlace(() => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'done' }] },
      { reply: [{ tool: 'Bash', input: { command: 'echo "trace: $TRACEPARENT"' } }] },
    ],
  }))
  const collector = await startCollector()
  await mkdir(place.home, { recursive: true, mode: 0o700 })
  const config = JSON.stringify({ telemetry: { endpoint: collector.url } })
  await writeFile(join(place.home, 'config.jsonc'), config, { mode: 0o600 })
  const daemon = await startDaemonProcess(place)
  const body = { cwd: place.cwd, prompt: 'go', permissionMode: 'bypassPermissions' } as const
  const { session } = await daemon.client.createSession({ body })
  const { id } = session
  await sessionWhen(daemon.client, id, ({ state, turns }) => state === 'idle' && turns === 1)

  const ended = (await allEvents(daemon.client, id)).find((event) => event.type === 'tool.ended')
  expect(JSON.stringify(ended?.data)).toContain(`trace: ${traceparentOf(id)}`)
  const sent = () => JSON.stringify(collector.received.map(({ body: content }) => content))
  await expect.poll(sent).toContain('"name":"chat"')
  expect(sent()).toContain(`"traceId":"${traceIdOf(id)}"`)
  expect(sent()).toContain('execute_tool Bash')
  expect(collector.received.flatMap(({ problems }) => problems)).toEqual([])
  await daemon.stop()
})
