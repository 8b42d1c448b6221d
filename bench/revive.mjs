/** A message to a parked session: its process is started again and resumes the conversation. */

import { randomUUID } from 'node:crypto'
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

const ROUNDS = 8
const script = { rules: [{ reply: [{ text: 'A short answer.' }] }] }

await bench(async () => {
  const place = makePlace()
  const model = await startModel(script)
  const sessionId = randomUUID()
  const begun = new Bare(bareOptions(place, model, { sessionId }))
  const over = begun.next(isResult)
  begun.send('hello')
  await over
  await begun.close()

  const { client } = await startDaemon(place, model, { WARM: 0, PARK_AFTER_MS: 1_000 })
  const { session } = await client.createSession({ body: { cwd: place.cwd, options: { tools: TOOLS } } })
  const { id } = session
  const events = watch(client, { sessionId: id, after: 0 })
  const parked = () =>
    events.next(({ type, data }) => type === 'session.changed' && data.process === 'parked')

  const figures = await inTurns(
    {
      'the bare SDK, resumed': async () => {
        const start = performance.now()
        const bare = new Bare(bareOptions(place, model, { resume: sessionId }))
        const [seen, end] = [bare.next(isText), bare.next(isResult)]
        bare.send('hello')
        const time = (await seen) - start
        await end
        await bare.close()
        return time
      },
      signalbox: async () => {
        const seen = events.next(({ type }) => type === 'text.delta')
        const isParked = parked()
        const start = performance.now()
        await client.sendMessage({ params: { id }, body: { text: 'hello' } })
        const time = (await seen) - start
        await isParked
        return time
      },
    },
    ROUNDS,
  )
  report({ name: 'message to a parked session', figures, goals: [{ row: 'signalbox', most: 1.05 }] })
})
