/** Attacks from a page on another origin, in a browser that is logged in here. No request may reach a handler. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../support/browser.js'
import { ids, permissionRequested } from '../support/build.js'
import { createServedRuntime } from '../support/served-runtime.js'

/** Runs in the page of the attacker; resolves when everything has been tried. */
const ATTACK = String.raw`async (target) => {
  const api = target + '/api/v1'
  const got = []
  const attempt = async (name, work) => {
    try { got.push([name, await work()]) } catch { got.push([name, 'failed']) }
  }
  const json = { 'content-type': 'application/json' }
  for (const credentials of ['include', 'omit']) for (const mode of ['cors', 'no-cors']) {
    await attempt('read ' + mode, async () => (await fetch(api + '/sessions', { credentials, mode })).status)
    await attempt('order ' + mode, async () =>
      (await fetch(api + '/sessions', { method: 'POST', credentials, mode, body: '{}' })).status)
    await attempt('answer ' + mode, async () =>
      (await fetch(api + '/requests/REQUEST/answer', { method: 'POST', credentials, mode, headers: mode === 'cors' ? json : {}, body: '{"decision":"allow"}' })).status)
  }
  const wait = (start) => new Promise((resolve) => { start(resolve); setTimeout(() => resolve('silent'), 3000) })
  await attempt('image', () => wait((done) => { const it = new Image(); it.onload = () => done('loaded'); it.onerror = () => done('failed'); it.src = api + '/sessions' }))
  await attempt('script', () => wait((done) => { const it = document.createElement('script'); it.onload = () => done('loaded'); it.onerror = () => done('failed'); it.src = api + '/sessions'; document.body.append(it) }))
  await attempt('events', () => wait((done) => { const it = new EventSource(api + '/stream', { withCredentials: true }); it.onopen = () => done('open'); it.onerror = () => { it.close(); done('failed') } }))
  await attempt('socket', () => wait((done) => { const it = new WebSocket(api.replace('http', 'ws') + '/ws'); it.onopen = () => done('open'); it.onerror = () => done('failed') }))
  await attempt('frame', () => wait((done) => { const it = document.createElement('iframe'); it.onload = () => { let inside = 'blocked'; try { inside = it.contentDocument.title } catch {} done(inside) }; it.src = target + '/'; document.body.append(it) }))
  await attempt('form', () => wait((done) => {
    const frame = document.createElement('iframe'); frame.name = 'sink'; frame.onload = () => done('sent'); document.body.append(frame)
    const form = document.createElement('form'); form.method = 'post'; form.enctype = 'text/plain'; form.target = 'sink'; form.action = api + '/requests/REQUEST/answer'
    const field = document.createElement('input'); field.name = '{"decision":"allow","x":"'; field.value = '"}'; form.append(field); document.body.append(form); form.submit()
  }))
  return got
}`

test.skipIf(chromiumPath === null)(
  'a page on another origin reaches nothing, whatever it tries and however it is named',
  async () => {
    const runtime = await createServedRuntime()
    const { id: sessionId } = await runtime.createSession()
    const requestId = ids.next('per')
    await runtime.journal.append(sessionId, [permissionRequested(requestId)])
    const evil = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><body>'),
    )
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void evil.close())
    const evilPort = (evil.address() as AddressInfo).port
    const browser = await launchBrowser({ args: ['--host-resolver-rules=MAP *.example 127.0.0.1'] })
    const context = await browser.newContext()
    const page = await context.newPage()
    const { code } = await runtime.access.createLoginCode()
    await page.goto(`${runtime.url}/`)
    const login = await page.evaluate(
      async (given) =>
        (
          await fetch('/api/v1/login', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ code: given }),
          })
        ).status,
      code,
    )
    expect(login).toBe(200)
    expect(await page.evaluate(async () => (await fetch('/api/v1/sessions')).status)).toBe(200)
    // Whatever a handler does, it does through one of these.
    const reached: string[] = []
    for (const part of [
      runtime.hub,
      runtime.hub.inbox,
      runtime.hub.journal,
      runtime.access,
    ] as unknown as Record<string, unknown>[]) {
      for (const name of [
        'sessions',
        'session',
        'createSession',
        'answer',
        'request',
        'requests',
        'subscribe',
        'login',
        'createToken',
        'lastPosition',
      ]) {
        const known = part[name]
        if (typeof known !== 'function') continue
        part[name] = (...given: unknown[]) => {
          reached.push(name)
          return (known as (...values: unknown[]) => unknown).apply(part, given)
        }
      }
    }
    const attack = ATTACK.replaceAll('REQUEST', requestId)

    // Another port of this machine is the same site for cookies; another name is not.
    for (const origin of [
      `http://127.0.0.1:${evilPort}`,
      `http://localhost:${evilPort}`,
      `http://evil.example:${evilPort}`,
    ]) {
      const attacker = await context.newPage()
      await attacker.goto(origin)
      const got = (await attacker.evaluate(`(${attack})(${JSON.stringify(runtime.url)})`)) as [
        string,
        unknown,
      ][]
      expect(got.length).toBe(18)
      expect(
        got.filter(
          ([name, outcome]) =>
            outcome === 'open' || outcome === 'loaded' || (outcome === 200 && !name.includes('no-cors')),
        ),
      ).toEqual([])
      expect(got.find(([name]) => name === 'frame')?.[1]).toBe('blocked')
      await attacker.close()
    }
    // A name of the attacker's that leads to this machine: the browser takes our server for his.
    const rebound = await context.newPage()
    const response = await rebound.goto(`http://rebound.example:${runtime.server.port}/`)
    expect(response?.status()).toBe(421)
    expect(
      await rebound.evaluate(async () => (await fetch('/api/v1/sessions')).status).catch(() => 'failed'),
    ).not.toBe(200)

    expect(reached).toEqual([])
    expect(await runtime.store.request(requestId)).toMatchObject({ state: 'pending' })
    await browser.close()
  },
)
