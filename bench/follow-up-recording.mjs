/** The cost of recording for a follow-up message: the same session with and without snapshots, in a folder of 10,000 files. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurns, report } from './support/measure.mjs'
import { bench, makePlace, startDaemon, startModel, TOOLS, watch } from './support/place.mjs'

const ROUNDS = 100
const PAUSE_MS = 300
const FILES = 10_000
const script = { rules: [{ reply: [{ text: 'A short answer.' }] }] }

await bench(async () => {
  const model = await startModel(script)
  const open = async (settings) => {
    const place = makePlace()
    for (let count = 0; count < FILES; count += 1) {
      const folder = join(place.cwd, `d${count % 100}`)
      if (count < 100) mkdirSync(folder)
      writeFileSync(join(folder, `f${count}.txt`), `file ${count}\n`)
    }
    mkdirSync(place.home, { mode: 0o700 })
    writeFileSync(join(place.home, 'config.jsonc'), JSON.stringify(settings), { mode: 0o600 })
    const { client } = await startDaemon(place, model, { WARM: 0 })
    const { session } = await client.createSession({ body: { cwd: place.cwd, options: { tools: TOOLS } } })
    const events = watch(client, { sessionId: session.id, after: 0 })
    return async () => {
      const first = events.next(({ type }) => type === 'text.delta')
      const end = events.next(({ type }) => type === 'turn.ended')
      const start = performance.now()
      await client.sendMessage({ params: { id: session.id }, body: { text: 'hello' } })
      const time = (await first) - start
      await end
      return time
    }
  }
  const figures = await inTurns(
    { 'without recording': await open({ snapshots: { mode: 'off' } }), recording: await open({}) },
    ROUNDS,
    PAUSE_MS,
  )
  report({
    name: `follow-up message to first fragment, in a folder of ${FILES} files`,
    figures,
    goals: [{ row: 'recording', most: 1.02 }],
  })
})
