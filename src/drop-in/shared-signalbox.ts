/** A Signalbox that several managers or builders of one process use together: a home has room for one. */

import { resolve } from 'node:path'
import { openSignalbox, type Signalbox, type SignalboxOptions, warn } from '../embed/signalbox.js'
import { digest } from '../lib/digest.js'
import { HubError } from '../protocol/error.js'

interface Shared {
  users: number
  /** The options that it was opened with, to be compared. */
  readonly wanted: string
  readonly signalbox: Promise<Signalbox>
  /** Where its users want to hear of faults: one for each of them. */
  readonly listeners: ((error: unknown) => void)[]
}

const shared = new Map<string, Shared>()
/** Signalboxes that are being closed: the next one in the same home begins when its predecessor has let go of it. */
const closing = new Map<string, Promise<void>>()

export interface SignalboxLease {
  readonly signalbox: Promise<Signalbox>
  /** Ends the Signalbox when it has no other user. Idempotent. */
  release(): Promise<void>
}

/** `logsCallerIds`: the log of the SDK is about the ids of the caller. */
export interface LeaseOptions extends SignalboxOptions {
  home: string
  logsCallerIds?: boolean
}

/** Users of one home share its Signalbox, so they must want the same of it. */
export function leaseSignalbox(options: LeaseOptions): SignalboxLease {
  const home = resolve(options.home)
  const wanted = `${optionsKeyOf(options)} ${options.logsCallerIds ?? false}`
  const { onFault = warn } = options
  const entry = shared.get(home) ?? open(home, options, wanted)
  if (entry.wanted !== wanted)
    throw new HubError(
      'config_invalid',
      `${home} is in use in this process with other options (config, env, scripted, tools or who). Give each its own home.`,
    )
  shared.set(home, entry)
  entry.users += 1
  entry.listeners.push(onFault)
  // A Signalbox that cannot be opened must not stand in the way of the next try.
  entry.signalbox.catch(() => forget(home, entry))
  let isReleased = false
  return {
    signalbox: entry.signalbox,
    async release() {
      if (isReleased) return
      isReleased = true
      entry.users -= 1
      if (entry.users > 0) {
        entry.listeners.splice(entry.listeners.indexOf(onFault), 1)
        return
      }
      forget(home, entry)
      const closed = entry.signalbox
        .then(
          (signalbox) => signalbox.close(),
          () => {},
        )
        .finally(() => {
          if (closing.get(home) === closed) closing.delete(home)
        })
      closing.set(home, closed)
      await closed
    },
  }
}

function forget(home: string, entry: Shared): void {
  if (shared.get(home) === entry) shared.delete(home)
}

function open(home: string, options: LeaseOptions, wanted: string): Shared {
  const listeners: Shared['listeners'] = []
  const onFault = (error: unknown) => {
    // Users that want to hear of it in the same place hear of it once.
    for (const listener of new Set(listeners)) listener(error)
  }
  return { users: 0, wanted, listeners, signalbox: openWhenFree(home, { ...options, onFault }) }
}

async function openWhenFree(
  home: string,
  { logsCallerIds = false, ...options }: LeaseOptions,
): Promise<Signalbox> {
  await closing.get(home)?.catch(() => {})
  return openSignalbox(options, { logsCallerIds })
}

/** Digest of the options that the Signalbox itself is made with. Two users with the same options can share one. */
export function optionsKeyOf({ config = {}, env, scripted, who }: SignalboxOptions): string {
  return digest(
    JSON.stringify([sorted(config), env === undefined ? null : sorted(env), scripted ?? null, who ?? null]),
  )
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
