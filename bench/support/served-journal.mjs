/** A journal with our server in front of it, in this process: what readers cost, without sessions. */

import { join } from 'node:path'
import { createMemoryBus } from '../../dist/bus/memory.js'
import { createHub } from '../../dist/hub/hub.js'
import { createInbox } from '../../dist/inbox/inbox.js'
import { createJournal } from '../../dist/journal/journal.js'
import { systemClock as clock } from '../../dist/lib/clock.js'
import { createIdSource } from '../../dist/lib/id.js'
import { NotificationSettings } from '../../dist/protocol/notification/settings.js'
import { serveHub } from '../../dist/server/serve-hub.js'
import { openSqliteStore } from '../../dist/store/sqlite/store.js'
import { onClose, temporaryFolder } from './place.mjs'
import { sessionCreated } from './sample-event.mjs'

/** `webFolder`: the dashboard's files, where a browser is to look at it. */
export async function serveJournal({ webFolder } = {}) {
  const folder = temporaryFolder()
  const ids = createIdSource()
  const store = await openSqliteStore({ path: join(folder, 'box.db'), newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock, ids })
  const inbox = createInbox({ journal, store, clock, ids, permissionTimeoutMs: 0, questionTimeoutMs: 0 })
  const hub = createHub({
    journal,
    store,
    inbox,
    bus: createMemoryBus(),
    ids,
    clock,
    whenBusy: 'inject',
    agents: {},
    policyResolver: { ownHomes: [] },
  })
  const { server, access, notifications } = await serveHub(
    {
      hub,
      store,
      clock,
      ids,
      token: 'bench-token',
      billing: 'api',
      secrets: {
        learn: () => {},
        redact: (text) => text,
        redactInSlices: async (text) => text,
        redactEchoInSlices: async (text) => text,
      },
      about: { version: '0.0.0', model: 'scripted', pid: 1, home: folder, sampleWorkspace: null },
      jail: { status: null },
      notifications: {
        settings: NotificationSettings.parse({}),
        users: {},
        channels: {},
        home: folder,
        platform: 'linux',
        env: {},
      },
      webFolder: webFolder ?? folder,
      onFault: console.error,
    },
    { host: '127.0.0.1', port: 0 },
  )
  onClose(async () => {
    await server.close()
    await notifications.close()
    inbox.close()
    await journal.close()
    await store.close()
  })
  const sessionId = ids.next('ses')
  const notice = (text) => ({ type: 'notice.raised', data: { level: 'info', topic: 'bench', text } })
  await journal.append(sessionId, [sessionCreated()])
  return {
    port: new URL(server.url).port,
    url: server.url,
    journal,
    ids,
    newLogin: async () => (await access.createLoginCode()).code,
    append: (text) => void journal.append(sessionId, [notice(text)]),
  }
}
