/** The push subscription of this browser. */

import type { May, PushState } from '../../../src/protocol/index.js'
import { currentPreference, setPreference } from '../store/preference.js'
import { client } from '../store/state.js'

export function canPush(): boolean {
  return (
    'serviceWorker' in navigator &&
    'PushManager' in globalThis &&
    'Notification' in globalThis &&
    isSecureContext
  )
}

/** Asks the user for the permission, subscribes at the browser's push service, and hands the subscription over. */
export async function subscribePush({ publicKey }: PushState, may: May): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('denied')
  const registration = await navigator.serviceWorker.ready
  const known = await registration.pushManager.getSubscription()
  // A subscription with another key is of another home.
  if (known && keyOf(known) !== publicKey) await known.unsubscribe()
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
  const { push } = await client.subscribePush({
    body: {
      endpoint: subscription.endpoint,
      keys: { p256dh, auth },
      name: deviceName(),
      may,
      language: currentPreference().language,
      isMobile: isMobile(),
    },
  })
  setPreference({ hasPush: true })
  return push
}

export async function unsubscribePush(): Promise<PushState> {
  setPreference({ hasPush: false })
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  await subscription?.unsubscribe().catch(() => false)
  return (await client.unsubscribePush()).push
}

/**
 * The subscription ends with the login, and the browser replaces it from time to time. Called after a login, so that a
 * browser that only seems to be subscribed shows notifications of its page again, and a replaced one is handed over.
 */
export async function keepPush(): Promise<void> {
  if (!currentPreference().hasPush || !canPush()) return
  const { push } = await client.getPush()
  if (push.device === null) return setPreference({ hasPush: false })
  const registration = await navigator.serviceWorker.ready
  const known = await registration.pushManager.getSubscription()
  if (known?.endpoint !== push.device.endpoint) await subscribePush(push, push.device.may)
}

function keyOf({ options }: PushSubscription): string | null {
  const { applicationServerKey: key } = options
  if (!key) return null
  const text = btoa(String.fromCharCode(...new Uint8Array(key)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const BROWSERS = [
  ['Firefox', /Firefox|FxiOS/],
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser/],
  ['Chrome', /Chrome|CriOS/],
  ['Safari', /Safari/],
] as const
const SYSTEMS = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['Mac', /Macintosh/],
  ['Linux', /Linux/],
] as const

/** `Chrome on Android`. */
export function deviceName(agent = navigator.userAgent): string {
  const find = (list: readonly (readonly [string, RegExp])[], other: string) =>
    list.find(([, pattern]) => pattern.test(agent))?.[0] ?? other
  return `${find(BROWSERS, 'Browser')} on ${find(SYSTEMS, 'device')}`
}

function isMobile(): boolean {
  return /Android|iPhone|iPad|Mobile/.test(navigator.userAgent)
}
