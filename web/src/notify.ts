/** Signals pending requests: page title, tab icon, browser notification and sound. */

import type { InboxRequest } from '../../src/protocol/index.js'
import { count, t } from './i18n/i18n.js'
import { navigate } from './route.js'
import { currentPreference } from './store/preference.js'
import { getState, subscribe } from './store/state.js'

export async function requestNotificationPermission(): Promise<boolean> {
  if (!('Notification' in globalThis)) return false
  return (await Notification.requestPermission()) === 'granted'
}

export function startNotifications(): void {
  let known: ReadonlyMap<string, InboxRequest> = getState().requests
  let wasLoaded = false
  subscribe(() => {
    const { requests, isLoaded } = getState()
    if (requests === known && wasLoaded === isLoaded) return
    const fresh = wasLoaded ? [...requests.values()].filter(({ id }) => !known.has(id)) : []
    const settled = [...known.keys()].filter((id) => !requests.has(id))
    known = requests
    wasLoaded = isLoaded
    showCount(requests.size)
    for (const request of fresh) notify(request)
    if (settled.length > 0) void closeShown(settled)
  })
}

/** Notifications of push messages about requests that are settled. */
async function closeShown(requestIds: readonly string[]): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  for (const tag of requestIds)
    for (const shown of (await registration?.getNotifications({ tag })) ?? []) shown.close()
}

function showCount(waiting: number): void {
  document.title = waiting > 0 ? `(${waiting}) Signalbox` : 'Signalbox'
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (link) link.href = waiting > 0 ? countIcon(waiting) : '/icon.svg'
}

function countIcon(waiting: number): string {
  const text = waiting > 99 ? '99' : String(waiting)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#16345f"/><circle cx="16" cy="16" r="13" fill="#ffb340"/><text x="16" y="22.500" font-family="sans-serif" font-weight="700" font-size="${text.length > 1 ? 16 : 19}" text-anchor="middle" fill="#241700">${text}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

function notify(request: InboxRequest): void {
  const { hasNotifications, hasSound, hasPush } = currentPreference()
  if (hasSound) playSound()
  // A push message follows, and would be the second one.
  if (hasPush) return
  if (!hasNotifications || !document.hidden || Notification.permission !== 'granted') return
  const title = request.kind === 'question' ? t('question.title') : t('status.permission')
  const notification = new Notification(title, {
    body: request.title,
    tag: request.id,
    icon: '/icon-192.png',
  })
  notification.addEventListener('click', () => {
    window.focus()
    navigate('/inbox')
    notification.close()
  })
}

/** Plays two notes. */
export function playSound(): void {
  const audio = new AudioContext()
  const gain = audio.createGain()
  gain.connect(audio.destination)
  gain.gain.setValueAtTime(0.0001, audio.currentTime)
  gain.gain.exponentialRampToValueAtTime(0.12, audio.currentTime + 0.02)
  gain.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.7)
  for (const [frequency, delay] of [
    [784, 0],
    [1_046, 0.12],
  ] as const) {
    const tone = audio.createOscillator()
    tone.type = 'sine'
    tone.frequency.value = frequency
    tone.connect(gain)
    tone.start(audio.currentTime + delay)
    tone.stop(audio.currentTime + 0.8)
  }
  setTimeout(() => void audio.close(), 1_000)
}

export function waitingLabel(waiting: number): string {
  return waiting > 0 ? count('inbox.waiting', waiting) : t('inbox.none')
}
