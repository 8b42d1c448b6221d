/** The first message of a new session: from creating it over HTTP to its first fragment, with a process in reserve. */

import { setTimeout as wait } from 'node:timers/promises'
import { inTurns, report } from './support/measure.mjs'
import {
  Bare,
  bareOptions,
  bench,
  isText,
  makePlace,
  startDaemon,
  startModel,
  TOOLS,
  watch,
} from './support/place.mjs'

const ROUNDS = 6
const script = { rules: [{ reply: [{ text: 'A short answer.' }] }] }
/** Think time before the next session; the warm pool is refilled meanwhile. */
const PAUSE_MS = 4_000

await bench(async () => {
  const place = makePlace()
  const model = await startModel(script)
  const { client } = await startDaemon(place, model, { WARM: 1 })
  const events = watch(client, {})

  const first = async () => {
    const seen = events.next(({ type }) => type === 'text.delta')
    const end = events.next(({ type }) => type === 'turn.ended')
    const start = performance.now()
    const { session } = await client.createSession({
      body: { cwd: place.cwd, options: { tools: TOOLS }, prompt: 'hello' },
    })
    const time = (await seen) - start
    await end
    await client.stopSession({ params: { id: session.id }, body: {} })
    return time
  }
  const figures = await inTurns(
    {
      'the bare SDK, cold': async () => {
        const start = performance.now()
        const bare = new Bare(bareOptions(place, model))
        const seen = bare.next(isText)
        bare.send('hello')
        const time = (await seen) - start
        await bare.close()
        return time
      },
      signalbox: async () => {
        await wait(PAUSE_MS)
        return first()
      },
    },
    ROUNDS,
  )
  report({ name: 'first message of a new session', figures, goals: [{ row: 'signalbox', most: 0.3 }] })
})
