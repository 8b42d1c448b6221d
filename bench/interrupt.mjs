/** From an interrupt over HTTP until the end of the turn is published. */

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

const ROUNDS = 30
/** Think time: no user writes immediately after a turn has ended. */
const PAUSE_MS = 150
const script = { rules: [{ reply: [{ text: 'word '.repeat(5_000), delayMs: 5 }] }] }

await bench(async () => {
  const place = makePlace()
  const model = await startModel(script)
  const bare = new Bare(bareOptions(place, model))
  const { client } = await startDaemon(place, model, { WARM: 0 })
  const { session } = await client.createSession({ body: { cwd: place.cwd, options: { tools: TOOLS } } })
  const { id } = session
  const events = watch(client, { sessionId: id, after: 0 })

  const figures = await inTurns(
    {
      'the bare SDK': async () => {
        const [seen, end] = [bare.next(isText), bare.next(isResult)]
        bare.send('talk')
        await seen
        const start = performance.now()
        await Promise.all([bare.query.interrupt(), end])
        return performance.now() - start
      },
      signalbox: async () => {
        const seen = events.next(({ type }) => type === 'text.delta')
        const end = events.next(({ type }) => type === 'turn.ended')
        await client.sendMessage({ params: { id }, body: { text: 'talk' } })
        await seen
        const start = performance.now()
        await Promise.all([client.interruptSession({ params: { id }, body: {} }), end])
        return performance.now() - start
      },
    },
    ROUNDS,
    PAUSE_MS,
  )
  report({ name: 'interrupt until the turn has ended', figures, goals: [{ row: 'signalbox', mostOver: 5 }] })
})
