/** 5,000 small fragments of one answer: through the journal and SSE to one reader, against the SDK's own iterator. */

import { inTurns, report } from './support/measure.mjs'
import {
  Bare,
  bareOptions,
  bench,
  isResult,
  makePlace,
  startDaemon,
  startModel,
  TOOLS,
  watch,
} from './support/place.mjs'

const ROUNDS = 5
const COUNT = 5_000
const script = { defaults: { chunk: 4 }, rules: [{ reply: [{ text: 'abcd'.repeat(COUNT) }] }] }

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
        const end = bare.next(isResult)
        const start = performance.now()
        bare.send('talk')
        return (COUNT / ((await end) - start)) * 1_000
      },
      signalbox: async () => {
        const end = events.next(({ type }) => type === 'turn.ended')
        const start = performance.now()
        await client.sendMessage({ params: { id }, body: { text: 'talk' } })
        return (COUNT / ((await end) - start)) * 1_000
      },
    },
    ROUNDS,
  )
  report({
    name: `${COUNT} small fragments to one reader`,
    unit: '/s',
    figures,
    goals: [{ row: 'signalbox', least: 0.9 }],
  })
})
