import { expect, test } from 'vitest'
import { color, withoutStyles } from '../output/style.js'
import { qrText } from './qr.js'
import { findReach, type Situation } from './reach.js'

function aSituation(more: Partial<Situation> = {}): Situation {
  return {
    url: 'http://127.0.0.1:4747',
    port: 4747,
    lan: ['box.local', '192.168.7.10'],
    hasOwnCertificate: false,
    tailscale: null,
    hosts: [],
    ...more,
  }
}

const TAILSCALE = { isRunning: true, name: 'box.tail1.ts.net', isServing: true }
const waysOf = (more: Partial<Situation>) => {
  const reach = findReach(aSituation(more))
  return reach.isReady ? reach : reach.ways.map(({ title, steps }) => [title, ...steps])
}

test('an https address that is not of this machine alone is used as it is', () => {
  expect(waysOf({ url: 'https://box.local:4747' })).toMatchObject({
    isReady: true,
    url: 'https://box.local:4747',
  })
})

test.each(['http://192.168.7.10:4747', 'https://127.0.0.1:4747', 'https://localhost', 'https://[::1]:4747'])(
  'a phone cannot use %s',
  (url) => expect(findReach(aSituation({ url })).isReady).toBe(false),
)

test('a Tailscale that serves this port under a name that the daemon answers to is ready', () => {
  expect(waysOf({ tailscale: TAILSCALE, hosts: ['box.tail1.ts.net'] })).toMatchObject({
    isReady: true,
    url: 'https://box.tail1.ts.net',
    way: 'Tailscale',
  })
})

test('otherwise the steps that are left are listed, the easiest way first', () => {
  const lan = ['Your network', 'signalbox tls init', 'restart the daemon', 'signalbox phone']
  const other = ['A proxy or tunnel of your own']
  expect(waysOf({})).toEqual([lan, other])
  expect(waysOf({ hasOwnCertificate: true })).toEqual([
    ['Your network', 'restart the daemon', 'signalbox phone'],
    other,
  ])
  expect(waysOf({ tailscale: { ...TAILSCALE, isRunning: false } })).toEqual([
    ['Tailscale', 'tailscale up', 'signalbox phone'],
    lan,
    other,
  ])
  expect(waysOf({ tailscale: { ...TAILSCALE, isServing: false } })).toEqual([
    [
      'Tailscale',
      'signalbox phone --setup tailscale',
      'restart the daemon',
      'tailscale serve --bg 4747',
      'signalbox phone',
    ],
    lan,
    other,
  ])
})

test('a QR code of a link fits into 60 columns', () => {
  const lines = withoutStyles(qrText(`https://box.tail1234.ts.net/pair#code=${'x'.repeat(22)}`, color)).split(
    '\n',
  )
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
  expect(lines.length).toBeLessThanOrEqual(30)
  expect(lines.join('')).toMatch(/^[ ▀▄█]+$/)
})
