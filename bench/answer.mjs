/** From the answer to a permission until the tool has started. The tool is a Write, which takes next to no time itself. */

import { join } from 'node:path'
import { AsyncQueue } from '../dist/lib/async-queue.js'
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

const ROUNDS = 30
/** Think time: no user writes immediately after a turn has ended. */
const PAUSE_MS = 150

await bench(async () => {
  const place = makePlace()
  const script = {
    rules: [
      { when: { toolResult: 'Write' }, reply: [{ text: 'Done.' }] },
      { reply: [{ tool: 'Write', input: { file_path: join(place.cwd, 'a.txt'), content: 'a' } }] },
    ],
  }
  const model = await startModel(script)
  const asked = new AsyncQueue()
  const questions = asked[Symbol.asyncIterator]()
  const bare = new Bare(
    bareOptions(place, model, {
      canUseTool: (_name, input) =>
        new Promise((resolve) => asked.push(() => resolve({ behavior: 'allow', updatedInput: input }))),
    }),
  )
  const hasResult = (message) =>
    message.type === 'user' && message.message.content.some?.((block) => block.type === 'tool_result')

  const { client } = await startDaemon(place, model, { WARM: 0 })
  const { session } = await client.createSession({ body: { cwd: place.cwd, options: { tools: TOOLS } } })
  const { id } = session
  const events = watch(client, { sessionId: id, after: 0 })

  // Until the result of the tool: the bare SDK does not report its start, and writing is the same for both.
  const figures = await inTurns(
    {
      'the bare SDK': async () => {
        const [result, end] = [bare.next(hasResult), bare.next(isResult)]
        bare.send('write')
        const { value: allow } = await questions.next()
        const start = performance.now()
        allow()
        const time = (await result) - start
        await end
        return time
      },
      signalbox: async () => {
        const waits = events.next(({ type }) => type === 'permission.requested')
        const result = events.next(({ type }) => type === 'tool.ended')
        const end = events.next(({ type }) => type === 'turn.ended')
        await client.sendMessage({ params: { id }, body: { text: 'write' } })
        await waits
        const { requests } = await client.listRequests({ query: { state: 'pending' } })
        const start = performance.now()
        await client.answerRequest({ params: { id: requests[0].id }, body: { decision: 'allow' } })
        const time = (await result) - start
        await end
        return time
      },
    },
    ROUNDS,
    PAUSE_MS,
  )
  report({
    name: 'answer to a permission until its tool has run',
    figures,
    goals: [{ row: 'signalbox', mostOver: 5 }],
  })
})
