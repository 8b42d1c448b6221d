/** A hub on the network: who may reach it, what it says about itself, and the server. The same for the daemon and for tests. */

import type { Hub } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import {
  createNotifications,
  type Notifications,
  type NotificationsDeps,
} from '../notification/notifications.js'
import type { Store } from '../store/port.js'
import { type Credentials, createCredentials } from './auth/credentials.js'
import { readyStore } from './ready-store.js'
import { type Reach, type RunningServer, type ServerDeps, startServer } from './server.js'

type About = ReturnType<ServerDeps['about']>

export interface ServedHub
  extends Pick<ServerDeps, 'billing' | 'webFolder' | 'authority' | 'isInSession' | 'onFault'> {
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
  /** Settings of notifications, and the machine that they are sent from. */
  notifications: Pick<
    NotificationsDeps,
    'settings' | 'users' | 'channels' | 'home' | 'platform' | 'env' | 'client'
  >
}

export interface Served {
  readonly server: RunningServer
  readonly access: Credentials
  readonly notifications: Notifications
}

/** The caller closes the server, then the notifications. */
export async function serveHub(served: ServedHub, reach: Reach): Promise<Served> {
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
  let url = ''
  const notifications = await createNotifications({
    ...served.notifications,
    hub,
    store,
    clock,
    ids,
    redact: (text) => secrets.redactInSlices(text),
    onSecret: (secret) => secrets.learn([secret]),
    url: () => url,
    onFault,
  })
  access.onRevoked((gone) => {
    notifications.removeDevices(({ credentialId }) => gone.has(credentialId)).catch(onFault)
  })
  const server = await startServer(
    {
      notifications,
      hub,
      access,
      clock,
      ids,
      billing,
      secrets,
      about: ({ name, role }) => ({
        name: 'signalbox',
        ...about,
        url,
        startedAt,
        jail: jail.status,
        storage: store.storage.problem,
        you: { name, role },
      }),
      isReady: () => readyStore(store),
      webFolder,
      version: about.version,
      ...(served.isInSession && { isInSession: served.isInSession }),
      ...(served.authority && { authority: served.authority }),
      onFault,
    },
    reach,
  )
  url = server.url
  await notifications.start()
  return { server, access, notifications }
}
