/** The cost of notifications for a follow-up message while no channel is configured: the same session without them and with them. */

import { readConfig } from '../dist/config.js'
import { createNotifications } from '../dist/notification/notifications.js'
import { NotificationSettings } from '../dist/protocol/notification/settings.js'
import { openRuntime } from '../dist/runtime/runtime.js'
import { inTurns, report } from './support/measure.mjs'
import { account, bench, makePlace, onClose, startModel, TOOLS } from './support/place.mjs'

const ROUNDS = 150
const PAUSE_MS = 100
const ACTOR = { who: 'bench', via: 'library' }
const script = { rules: [{ reply: [{ text: 'A short answer.' }] }] }
let isOver = false
const onFault = (error) => {
  if (!isOver) throw error
}

await bench(async () => {
  const model = await startModel(script)
  const open = async ({ isWatched }) => {
    const place = makePlace()
    const env = { ...place.env, ...account(model, `${place.home}-claude`) }
    const config = { ...readConfig(place.home, {}, {}), warm: 0, transcripts: { keep: false, exclude: [] } }
    const runtime = await openRuntime({ home: place.home, config, scripted: null, env, onFault })
    onClose(() => runtime.close())
    const { hub, store, clock, ids } = runtime
    if (isWatched) {
      const notifications = await createNotifications({
        hub,
        store,
        clock,
        ids,
        settings: NotificationSettings.parse({}),
        users: {},
        channels: {},
        redact: async (text) => text,
        onSecret: () => {},
        url: () => 'http://127.0.0.1',
        home: place.home,
        platform: 'linux',
        env: {},
        onFault,
      })
      await notifications.start()
      onClose(() => notifications.close())
    }
    const session = await hub.createSession({ cwd: place.cwd, options: { tools: TOOLS } }, ACTOR)
    const waiting = new Map()
    const subscription = hub.journal.subscribe({
      sessionId: session.id,
      deliver: (items) => {
        for (const { event } of items) {
          waiting.get(event.type)?.()
          waiting.delete(event.type)
        }
      },
      onEnd: () => {},
      onError: onFault,
    })
    onClose(() => subscription.close())
    const next = (type) => new Promise((resolve) => waiting.set(type, () => resolve(performance.now())))
    return async () => {
      const [first, end] = [next('text.delta'), next('turn.ended')]
      const start = performance.now()
      await hub.send(session.id, { text: 'hello' }, ACTOR)
      const time = (await first) - start
      await end
      return time
    }
  }
  const figures = await inTurns(
    {
      'without notifications': await open({ isWatched: false }),
      'without a channel': await open({ isWatched: true }),
    },
    ROUNDS,
    PAUSE_MS,
  )
  isOver = true
  report({
    name: 'follow-up message to first fragment, with notifications but no channel',
    figures,
    goals: [{ row: 'without a channel', most: 1.01 }],
  })
})
