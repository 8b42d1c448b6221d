/** A hub on the network: who may reach it, what it says about itself, and the server. The same for the daemon and for tests. */

import type { Hub } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { Store } from '../store/port.js'
import { type Credentials, createCredentials } from './auth/credentials.js'
import { readyStore } from './ready-store.js'
import { type Reach, type RunningServer, type ServerDeps, startServer } from './server.js'

type About = ReturnType<ServerDeps['about']>

export interface ServedHub extends Pick<ServerDeps, 'billing' | 'webFolder' | 'onFault'> {
  hub: Hub
  store: Store
  clock: Clock
  ids: IdSource
  secrets: SecretSet
  /** The token of the home: an admin. */
  token: string
  /** Settings that do not change while it runs. */
  about: Pick<About, 'version' | 'model' | 'pid' | 'home' | 'command' | 'sampleWorkspace'>
  jail: { readonly status: About['jail'] }
}

export async function serveHub(
  served: ServedHub,
  reach: Reach,
): Promise<{ readonly server: RunningServer; readonly access: Credentials }> {
  const { hub, store, clock, ids, secrets, token, about, jail, billing, webFolder, onFault } = served
  const startedAt = new Date(clock.now()).toISOString()
  secrets.learn([token])
  const access = createCredentials({
    store,
    clock,
    ids,
    token,
    onSecret: (secret) => secrets.learn([secret]),
  })
  const server = await startServer(
    {
      hub,
      access,
      clock,
      ids,
      billing,
      secrets,
      about: ({ name, role }) => ({
        name: 'signalbox',
        ...about,
        startedAt,
        jail: jail.status,
        storage: store.storage.problem,
        you: { name, role },
      }),
      isReady: () => readyStore(store),
      webFolder,
      onFault,
    },
    reach,
  )
  return { server, access }
}
