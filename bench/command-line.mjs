/** Duration of a command and of the start of the daemon, against a Node that does nothing. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inTurns, report, timed } from './support/measure.mjs'
import { bench, makePlace, startDaemon, startModel } from './support/place.mjs'

const ROUNDS = 12
const MAIN = fileURLToPath(new URL('../dist/bin/signalbox.cjs', import.meta.url))

await bench(async () => {
  const place = makePlace()
  const model = await startModel()
  await startDaemon(place, model, { WARM: 0 })
  const run = (...args) =>
    timed(async () => {
      const child = spawn(process.execPath, args, { env: place.env, stdio: 'ignore' })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
    })
  const figures = await inTurns(
    {
      'node -e 0': () => run('-e', '0'),
      'signalbox sessions': () => run(MAIN, 'sessions', '--home', place.home),
      'signalbox --version': () => run(MAIN, '--version'),
    },
    ROUNDS,
  )
  report({ name: 'a command', figures, goals: [{ row: 'signalbox sessions', most: 1.8 }] })

  const starts = await inTurns(
    {
      'signalbox start, until it is ready': async () => {
        const start = performance.now()
        const { stop } = await startDaemon(makePlace(), model, { WARM: 0 })
        const time = performance.now() - start
        await stop()
        return time
      },
    },
    6,
  )
  report({
    name: 'the daemon',
    figures: starts,
    goals: [{ row: 'signalbox start, until it is ready', absolute: 1_000 }],
  })
})
