/** Users and channels: those of the configuration, those that an admin added, and browsers that have subscribed. */

import type { Clock } from '../lib/clock.js'
import { HubError } from '../protocol/error.js'
import type { ChannelKind, ChannelSettings } from '../protocol/notification/channel.js'
import type { NotificationSettings } from '../protocol/notification/settings.js'
import { leastOf, type May, OWNER, type User, UserSettings } from '../protocol/notification/user.js'
import type { Actor } from '../protocol/value.js'
import { type RecordChange, RIGHT_KINDS } from '../store/port/record.js'
import type { Store } from '../store/port.js'
import { changeEntry } from './audit.js'
import type { Device } from './device.js'
import { isoTime } from './outbox-row.js'
import type { Recipient } from './rule/decide.js'

/** Record kinds. */
const [USER, CHANNEL, DEVICE] = RIGHT_KINDS

/** A channel with all it needs, secrets included. */
export interface KnownChannel {
  readonly name: string
  readonly kind: ChannelKind
  readonly source: 'config' | 'admin' | 'device'
  readonly user: string
  /** As set. `Directory.may` has the effective value. */
  readonly may: May
  readonly settings: ChannelSettings | null
  readonly device: Device | null
}

export interface DirectoryDeps {
  store: Store
  clock: Clock
  rules: NotificationSettings
  users: Readonly<Record<string, UserSettings>>
  channels: Readonly<Record<string, ChannelSettings>>
  /** Called with secrets of channels, so that they are redacted. */
  onSecret(secret: string): void
}

interface StoredUser extends UserSettings {
  readonly createdAt: string
}

interface StoredChannel {
  readonly settings: ChannelSettings
  readonly createdAt: string
}

export class Directory {
  readonly #deps: DirectoryDeps
  #users = new Map<string, StoredUser>()
  #channels = new Map<string, StoredChannel>()
  #devices = new Map<string, Device>()

  constructor(deps: DirectoryDeps) {
    this.#deps = deps
  }

  /** Only this class writes records of these kinds. */
  async load(): Promise<void> {
    const { store, channels, onSecret } = this.#deps
    const read = async <Body>(kind: string) =>
      new Map((await store.records(kind)).map(({ id, body }) => [id, body as Body]))
    this.#users = await read<StoredUser>(USER)
    this.#channels = await read<StoredChannel>(CHANNEL)
    this.#devices = await read<Device>(DEVICE)
    for (const settings of [
      ...Object.values(channels),
      ...[...this.#channels.values()].map((it) => it.settings),
    ])
      for (const secret of secretsOf(settings)) onSecret(secret)
  }

  /** The owner first, then those of the configuration, then the others by name. */
  users(): User[] {
    const { users: configured } = this.#deps
    const owner = configured[OWNER]
      ? userOf(OWNER, 'config', configured[OWNER])
      : userOf(OWNER, 'admin', this.#users.get(OWNER) ?? { may: 'answer' })
    const others = Object.entries(configured)
      .filter(([name]) => name !== OWNER)
      .map(([name, settings]) => userOf(name, 'config', settings))
    const added = [...this.#users].filter(([name]) => name !== OWNER && !configured[name])
    return [owner, ...others, ...added.map(([name, settings]) => userOf(name, 'admin', settings))]
  }

  user(name: string): User | null {
    return this.users().find((user) => user.name === name) ?? null
  }

  requireUser(name: string): User {
    const user = this.user(name)
    if (user) return user
    throw new HubError('user_not_found', `No user ${name}. List users with "signalbox users".`, { name })
  }

  async saveUser(name: string, settings: UserSettings, actor: Actor): Promise<User> {
    if (this.#deps.users[name]) throw setInConfig('user', name)
    const now = isoTime(this.#deps.clock.now())
    const createdAt = this.#users.get(name)?.createdAt ?? now
    const body: StoredUser = { ...UserSettings.parse(settings), createdAt }
    const audit = changeEntry('user.changed', now, actor, `${name} (${body.may})`)
    await this.#deps.store.saveRecords([{ kind: USER, id: name, body }], { audit })
    this.#users.set(name, body)
    return this.requireUser(name)
  }

  requireRemovable(name: string): User {
    const user = this.requireUser(name)
    if (user.source === 'config') throw setInConfig('user', name)
    if (name === OWNER) throw new HubError('request_invalid', 'The owner of the home cannot be removed.')
    return user
  }

  /** Removes a user with the channels and devices that belong to it. */
  async removeUser(name: string, actor: Actor): Promise<User> {
    const user = this.requireRemovable(name)
    const gone = this.channels().filter((channel) => channel.user === name && channel.source !== 'config')
    const now = isoTime(this.#deps.clock.now())
    await this.#deps.store.saveRecords(
      [{ kind: USER, id: name, body: null }, ...gone.map((channel) => removalOf(channel))],
      { audit: changeEntry('user.removed', now, actor, name) },
    )
    this.#users.delete(name)
    for (const channel of gone) this.#forget(channel)
    return user
  }

  /** In the order in which they are tried: devices, mobile ones first, then the configuration, then the others. */
  channels(): KnownChannel[] {
    const now = isoTime(this.#deps.clock.now())
    const live = [...this.#devices.values()].filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    const devices = live.toSorted(
      (one, other) =>
        Number(other.isMobile) - Number(one.isMobile) || (one.createdAt < other.createdAt ? 1 : -1),
    )
    return [
      ...devices.map(channelOfDevice),
      ...Object.entries(this.#deps.channels).map(([name, settings]) => channelOf(name, 'config', settings)),
      ...[...this.#channels]
        .toSorted(([, one], [, other]) => (one.createdAt < other.createdAt ? -1 : 1))
        .map(([name, { settings }]) => channelOf(name, 'admin', settings)),
    ]
  }

  channel(name: string): KnownChannel | null {
    return this.channels().find((channel) => channel.name === name) ?? null
  }

  requireChannel(name: string): KnownChannel {
    const channel = this.channel(name)
    if (channel) return channel
    throw new HubError('channel_not_found', `No channel ${name}. List channels with "signalbox channels".`, {
      name,
    })
  }

  async saveChannel(name: string, settings: ChannelSettings, actor: Actor): Promise<KnownChannel> {
    const known = this.channel(name)
    if (known?.source === 'config') throw setInConfig('channel', name)
    if (known?.source === 'device')
      throw new HubError('channel_name_taken', `The name ${name} is taken by a device.`)
    this.requireUser(settings.user)
    for (const secret of secretsOf(settings)) this.#deps.onSecret(secret)
    const now = isoTime(this.#deps.clock.now())
    const body: StoredChannel = { settings, createdAt: this.#channels.get(name)?.createdAt ?? now }
    const subject = `${name} (${settings.kind}, ${settings.user}, ${settings.may})`
    const audit = changeEntry('channel.changed', now, actor, subject)
    await this.#deps.store.saveRecords([{ kind: CHANNEL, id: name, body }], { audit })
    this.#channels.set(name, body)
    return channelOf(name, 'admin', settings)
  }

  async removeChannel(name: string, actor: Actor): Promise<KnownChannel> {
    const channel = this.requireChannel(name)
    if (channel.source === 'config') throw setInConfig('channel', name)
    const audit = changeEntry('channel.removed', isoTime(this.#deps.clock.now()), actor, name)
    await this.#deps.store.saveRecords([removalOf(channel)], { audit })
    this.#forget(channel)
    return channel
  }

  devices(): Device[] {
    return [...this.#devices.values()]
  }

  async saveDevice(device: Device, actor: Actor): Promise<void> {
    const now = isoTime(this.#deps.clock.now())
    const subject = `${device.name} (push, ${device.user}, ${device.may})`
    await this.#deps.store.saveRecords([{ kind: DEVICE, id: device.id, body: device }], {
      audit: changeEntry('channel.changed', now, actor, subject),
    })
    this.#devices.set(device.id, device)
  }

  /** Devices that unsubscribed, whose login was revoked, or whose subscription is gone at the push service (no actor). */
  async removeDevices(isGone: (device: Device) => boolean, actor?: Actor): Promise<Device[]> {
    const gone = [...this.#devices.values()].filter(isGone)
    if (gone.length === 0) return []
    await this.#deps.store.saveRecords(
      gone.map(({ id }) => ({ kind: DEVICE, id, body: null })),
      actor
        ? { audit: changeEntry('channel.removed', isoTime(this.#deps.clock.now()), actor, namesOf(gone)) }
        : { isPatient: true },
    )
    for (const { id } of gone) this.#devices.delete(id)
    return gone
  }

  /** The rights through a channel: the least of its own, those of its user and those of its login. */
  may({ user, may, device }: KnownChannel): May {
    const allowed = leastOf(may, this.user(user)?.may ?? 'see')
    return device?.role === 'viewer' ? 'see' : allowed
  }

  /** Users with those of their channels that can be used. */
  recipients(isUsable: (channel: string) => boolean): Recipient[] {
    const { rules } = this.#deps
    const channels = this.channels()
    return this.users().map(({ name, quiet, minSeverity, kinds }) => ({
      user: name,
      quiet: quiet === undefined ? (rules.quiet ?? null) : quiet,
      minSeverity: minSeverity === undefined ? (rules.minSeverity ?? null) : minSeverity,
      kinds: kinds ?? rules.kinds,
      channels: channels
        .filter((channel) => channel.user === name && isUsable(channel.name))
        .map(({ name: channel, settings }) => ({
          name: channel,
          kinds: settings?.kinds,
          folders: settings?.folders,
          sessions: settings?.sessions,
          minSeverity: settings?.minSeverity,
        })),
    }))
  }

  #forget({ name, device }: KnownChannel): void {
    if (device) this.#devices.delete(device.id)
    else this.#channels.delete(name)
  }
}

function userOf(name: string, source: User['source'], settings: UserSettings & { createdAt?: string }): User {
  const { createdAt = null, ...rest } = settings
  return { name, source, createdAt, ...rest }
}

function channelOf(name: string, source: 'config' | 'admin', settings: ChannelSettings): KnownChannel {
  const { kind, user, may } = settings
  return { name, kind, source, user, may, settings, device: null }
}

function channelOfDevice(device: Device): KnownChannel {
  const { name, user, may } = device
  return { name, kind: 'push', source: 'device', user, may, settings: null, device }
}

function removalOf({ name, device }: KnownChannel): RecordChange {
  return device ? { kind: DEVICE, id: device.id, body: null } : { kind: CHANNEL, id: name, body: null }
}

function namesOf(devices: readonly Device[]): string {
  return devices.map(({ name }) => name).join(', ')
}

function setInConfig(what: 'user' | 'channel', name: string): HubError {
  return new HubError(
    'set_in_config',
    `The ${what} ${name} is set in config.jsonc. Change it there and restart the daemon.`,
    {
      name,
    },
  )
}

/** The path of a webhook may be all that protects it, as with Slack. */
function pathSecrets(url: string): string[] {
  return new URL(url).pathname.split('/').filter((part) => part.length >= 16)
}

function secretsOf(settings: ChannelSettings): string[] {
  if (settings.kind === 'webhook') return [settings.secret, ...pathSecrets(settings.url)]
  if (settings.kind === 'ntfy') return settings.token === undefined ? [] : [settings.token]
  return settings.kind === 'telegram' ? [settings.token] : []
}
