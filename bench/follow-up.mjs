/** A follow-up message in a live session: from sending it over HTTP to its first fragment at an SSE reader. */

import { inTurns, report } from './support/measure.mjs'
import {
  Bare,
  bareOptions,
  bench,
  isResult,
  isText,
  makePlace,
  startDaemon,
  startModel,
  TOOLS,
  watch,
} from './support/place.mjs'

const ROUNDS = 100
/** Think time: no user writes immediately after a turn has ended. */
const PAUSE_MS = 150
const script = { rules: [{ reply: [{ text: 'A short answer.' }] }] }

await bench(async () => {
  const place = makePlace()
  const model = await startModel(script)
  const bare = new Bare(bareOptions(place, model))
  const { client } = await startDaemon(place, model, { WARM: 0 })
  const { session } = await client.createSession({ body: { cwd: place.cwd, options: { tools: TOOLS } } })
  const events = watch(client, { sessionId: session.id, after: 0 })

  const figures = await inTurns(
    {
      'the bare SDK': async () => {
        const [first, end] = [bare.next(isText), bare.next(isResult)]
        const start = performance.now()
        bare.send('hello')
        const time = (await first) - start
        await end
        return time
      },
      signalbox: async () => {
        const first = events.next(({ type }) => type === 'text.delta')
        const end = events.next(({ type }) => type === 'turn.ended')
        const start = performance.now()
        await client.sendMessage({ params: { id: session.id }, body: { text: 'hello' } })
        const time = (await first) - start
        await end
        return time
      },
    },
    ROUNDS,
    PAUSE_MS,
  )
  report({ name: 'follow-up message to first fragment', figures, goals: [{ row: 'signalbox', most: 1.1 }] })
})
