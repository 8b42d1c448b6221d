/** Notifications as a whole: users, channels, what is sent through them, and the answers that come back. */

import type { Hub } from '../hub/port.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import { createGuardedClient, type GuardedClient } from '../lib/net/guarded-client.js'
import { withoutTrailingSlash } from '../lib/text/trailing-slash.js'
import { HubError } from '../protocol/error.js'
import type { Channel, ChannelSettings } from '../protocol/notification/channel.js'
import type { NotificationSettings } from '../protocol/notification/settings.js'
import type { UserSettings } from '../protocol/notification/user.js'
import { OWNER } from '../protocol/notification/user.js'
import type { Actor } from '../protocol/value.js'
import type { Store } from '../store/port.js'
import { ActivityLog } from './activity.js'
import { AnswerTokens } from './answer-token.js'
import { createChannel, targetOf } from './channel/create-channel.js'
import { type ChannelPort, DeliveryError } from './channel/port.js'
import { withRedactedErrors } from './channel/redacted.js'
import { ChannelStates } from './channel-state.js'
import { Composer } from './composer.js'
import { Directory, type KnownChannel } from './directory.js'
import { createEngine, type Engine } from './engine.js'
import { listNotifications, pruneHistory } from './history.js'
import { isoTime } from './outbox-row.js'
import { contactFor } from './push/contact.js'
import { Subscriptions } from './push/subscriptions.js'
import { loadVapidKeys } from './push/vapid.js'
import { TelegramBots } from './telegram/bots.js'
import { testMessage } from './test-message.js'

export interface NotificationsDeps {
  hub: Hub
  store: Store
  clock: Clock
  ids: IdSource
  settings: NotificationSettings
  users: Readonly<Record<string, UserSettings>>
  channels: Readonly<Record<string, ChannelSettings>>
  redact(text: string): Promise<string>
  onSecret(secret: string): void
  /** The address of the dashboard, as users reach it. */
  url(): string
  home: string
  platform: string
  env: Readonly<Record<string, string | undefined>>
  /** For tests. */
  client?: GuardedClient
  onFault(error: unknown): void
}

/** Attempts between two looks at the size of the history. */
const PRUNE_EVERY = 100

export type Notifications = Awaited<ReturnType<typeof createNotifications>>

export async function createNotifications(deps: NotificationsDeps) {
  const { hub, store, clock, ids, settings, onFault } = deps
  const closers = new Closers(onFault)
  const directory = new Directory({ ...deps, rules: settings })
  const states = new ChannelStates(deps)
  const activity = new ActivityLog()
  const client = deps.client ?? createGuardedClient({ privateAddresses: settings.privateAddresses })
  await directory.load()
  await states.load()
  const keys = await loadVapidKeys(store)
  const base = () => withoutTrailingSlash(settings.url ?? deps.url())
  const adapterDeps = {
    client,
    clock,
    platform: deps.platform,
    env: deps.env,
    cwd: deps.home,
    keys,
    contact: () => settings.contact ?? contactFor(base()),
    source: base,
  }

  /** Adapters by channel, made anew when the settings have changed. */
  const ports = new Map<string, { of: KnownChannel; port: ChannelPort }>()
  function portOf(channel: KnownChannel): ChannelPort {
    const known = ports.get(channel.name)
    if (known && known.of.settings === channel.settings && known.of.device === channel.device)
      return known.port
    const port = withRedactedErrors(createChannel(channel, adapterDeps), deps.redact)
    ports.set(channel.name, { of: channel, port })
    return port
  }

  const tokens = new AnswerTokens({
    store,
    hub,
    clock,
    ids,
    lifeMs: settings.tokenMs,
    may(user, name) {
      const channel = directory.channel(name)
      return channel?.user === user && !states.of(name).isPaused ? directory.may(channel) : null
    },
  })

  let attempts = 0
  const stop = new AbortController()
  const composer = new Composer({ ...deps, directory, tokens, base, portOf, signal: stop.signal })

  const engine: Engine = createEngine({
    journal: patient(hub.journal),
    store,
    clock,
    ids,
    rules: settings,
    activity,
    recipients() {
      const usable = directory.recipients((name) => states.isUsable(name))
      // Better a channel that has failed than none.
      return usable.some(({ channels }) => channels.length > 0)
        ? usable
        : directory.recipients((name) => !states.of(name).isPaused)
    },
    userOf: (who) => (directory.user(who) ? who : OWNER),
    channel(name) {
      const channel = directory.channel(name)
      return channel && !states.of(name).isPaused ? portOf(channel) : null
    },
    compose: (row, matters) => composer.message(row, matters),
    composeSettled: (row) => composer.settled(row),
    async onAttempt(name, error) {
      await states.note(name, error)
      attempts += 1
      if (attempts % PRUNE_EVERY === 0) await pruneHistory(store)
      if (error?.hope === 'gone') await removeDevices((device) => device.name === name)
    },
    onFault,
  })

  const bots = closers.add(
    new TelegramBots({
      ...deps,
      tokens,
      directory,
      states,
      client,
      languageOf: (user) => composer.languageOf(user),
    }),
    (it) => it.close(),
  )

  /** Costs nothing while there is no channel: the journal is followed from the first one on. */
  let isStarted = false
  async function startIfNeeded(isRestart: boolean): Promise<void> {
    if (isStarted || directory.channels().length === 0) return
    isStarted = true
    closers.add(engine, (it) => it.close())
    await engine.start({ isRestart })
  }

  async function changed(name?: string): Promise<void> {
    await startIfNeeded(false)
    bots.sync()
    if (isStarted) engine.channelsChanged(name)
  }

  async function removeDevices(...which: Parameters<Directory['removeDevices']>): Promise<void> {
    const gone = await directory.removeDevices(...which)
    if (gone.length === 0) return
    const names = new Set(gone.map(({ name }) => name))
    await tokens.revoke(({ channel }) => names.has(channel))
    for (const name of names) await states.remove(name)
    await changed()
  }

  /** After a crash between the two: a subscription ends with its login. */
  async function removeOrphans(): Promise<void> {
    if (directory.devices().length === 0) return
    const logins = new Set((await store.credentials(isoTime(clock.now()))).map(({ id }) => id))
    await removeDevices(({ credentialId }) => !logins.has(credentialId))
  }

  function shownChannel(channel: KnownChannel): Channel {
    const { name, kind, source, user } = channel
    const { isPaused, error, lastDeliveredAt, lastFailedAt } = states.of(name)
    const time = (at: number | null) => (at === null ? null : new Date(at).toISOString())
    return {
      name,
      kind,
      source,
      user,
      may: directory.may(channel),
      target: targetOf(channel),
      isPaused,
      health: states.healthOf(name),
      error: states.of(name).failures > 0 ? error : null,
      lastDeliveredAt: time(lastDeliveredAt),
      lastFailedAt: time(lastFailedAt),
      pending: isStarted ? engine.pending(name).length : 0,
    }
  }

  await pruneHistory(store)

  return {
    /** Continues with what the previous run has left. Once the address of the dashboard is known: links contain it. */
    async start(): Promise<void> {
      await removeOrphans()
      await startIfNeeded(true)
      bots.sync()
    },
    directory,
    tokens,
    subscriptions: new Subscriptions({ directory, clock, ids, publicKey: keys.publicKey }),
    isActive: () => isStarted,
    /** A user is active, with these sessions in view. */
    notePresence(user: string, sessionIds: readonly string[]): void {
      if (!isStarted) return
      activity.note({ user, sessionId: null, at: clock.now() })
      for (const sessionId of sessionIds) activity.note({ user, sessionId, at: clock.now() })
      engine.tick()
    },
    channels: (): Channel[] => directory.channels().map(shownChannel),
    channel: (name: string): Channel => shownChannel(directory.requireChannel(name)),
    async saveChannel(name: string, given: ChannelSettings, actor: Actor): Promise<Channel> {
      const channel = await directory.saveChannel(name, given, actor)
      await states.reset(name)
      await changed(name)
      return shownChannel(channel)
    },
    async removeChannel(name: string, actor: Actor): Promise<Channel> {
      const channel = directory.requireChannel(name)
      const shown = shownChannel(channel)
      await directory.removeChannel(name, actor)
      await tokens.revoke((token) => token.channel === name)
      await states.remove(name)
      ports.delete(name)
      await changed(name)
      return shown
    },
    async pauseChannel(name: string, isPaused: boolean, actor: Actor): Promise<Channel> {
      directory.requireChannel(name)
      await states.pause(name, isPaused, actor)
      await changed(name)
      return shownChannel(directory.requireChannel(name))
    },
    /** Sends a message that says so. Rejects with the reason and the fix. */
    async testChannel(name: string): Promise<Channel> {
      const channel = directory.requireChannel(name)
      const message = testMessage(ids.next('ntf'), composer.languageOf(channel.user, channel), {
        at: new Date(clock.now()).toISOString(),
        url: base(),
      })
      const error = await portOf(channel)
        .send(message, stop.signal)
        .then(
          () => null,
          (problem: unknown) => (problem instanceof DeliveryError ? problem : internal(problem)),
        )
      await states.note(name, error)
      if (error)
        throw new HubError('channel_failed', `The channel ${name} failed. ${error.message}`, { name })
      if (isStarted) engine.channelsChanged(name)
      return shownChannel(channel)
    },
    async removeUser(name: string, actor: Actor) {
      const gone = directory.channels().filter((channel) => channel.user === name)
      const user = await directory.removeUser(name, actor)
      await tokens.revoke((token) => token.user === name)
      for (const channel of gone)
        if (!directory.channel(channel.name)) {
          await states.remove(channel.name)
          ports.delete(channel.name)
        }
      await changed()
      return user
    },
    usersChanged: () => changed(),
    deviceChanged: (name: string) => changed(name),
    removeDevices,
    removeOrphans,
    notifications: (page: { before?: string | undefined; limit: number }) => listNotifications(store, page),
    async close(): Promise<void> {
      stop.abort()
      await closers.close()
    },
  }

  function internal(problem: unknown): DeliveryError {
    onFault(problem)
    return new DeliveryError('later', 'Internal error. See the log of the daemon.')
  }
}

/** The journal for work that no client waits for. */
function patient(journal: Journal): Journal {
  return {
    ...journal,
    append: (sessionId, drafts, options) =>
      journal.append(sessionId, drafts, { waitMs: Number.POSITIVE_INFINITY, ...options }),
  }
}
