/** The cost of notifications while no channel is configured: events stored durably, without them and with them. */

import { join } from 'node:path'
import { createJournal } from '../dist/journal/journal.js'
import { systemClock } from '../dist/lib/clock.js'
import { createIdSource } from '../dist/lib/id.js'
import { createNotifications } from '../dist/notification/notifications.js'
import { NotificationSettings } from '../dist/protocol/notification/settings.js'
import { openSqliteStore } from '../dist/store/sqlite/store.js'
import { inTurns, report, timed } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'
import { failure, sessionCreated } from './support/sample-event.mjs'

const ROUNDS = 15
const SESSIONS = 50
const EACH = 60

await bench(async () => {
  const ids = createIdSource()
  const open = async (name) => {
    const store = await openSqliteStore({
      path: join(temporaryFolder(), `${name}.db`),
      newId: () => ids.next('evt'),
    })
    const journal = createJournal({ store, clock: systemClock, ids })
    const sessionIds = Array.from({ length: SESSIONS }, () => ids.next('ses'))
    await Promise.all(sessionIds.map((id) => journal.append(id, [sessionCreated()])))
    const work = async () => {
      const ms = await timed(() =>
        Promise.all(
          sessionIds.map(async (id) => {
            for (let index = 0; index < EACH; index += 1) await journal.append(id, [failure()])
          }),
        ),
      )
      return ((SESSIONS * EACH) / ms) * 1_000
    }
    return { store, journal, work }
  }
  const plain = await open('plain')
  const watched = await open('watched')
  const notifications = await createNotifications({
    hub: { journal: watched.journal },
    store: watched.store,
    clock: systemClock,
    ids,
    settings: NotificationSettings.parse({}),
    users: {},
    channels: {},
    redact: async (text) => text,
    onSecret: () => {},
    url: () => 'http://127.0.0.1',
    home: '/',
    platform: 'linux',
    env: {},
    onFault: (error) => {
      throw error
    },
  })
  await notifications.start()
  const figures = await inTurns(
    { 'without notifications': plain.work, 'without a channel': watched.work },
    ROUNDS,
  )
  report({
    name: 'events stored durably, no channel configured',
    unit: '/s',
    figures,
    goals: [{ row: 'without a channel', least: 0.99 }],
  })
  await notifications.close()
  for (const { journal, store } of [plain, watched]) {
    await journal.close()
    await store.close()
  }
})
