import { describe, expect, test } from 'vitest'
import { aPerson, ids, permissionResolved, turnEnded, turnStarted } from '../../test/support/build.js'
import { createNotifiedRuntime } from '../../test/support/notified-runtime.js'
import { createClient } from '../client/client.js'

const MINUTE = 60_000

describe('an agent that waits', () => {
  test('is reported once, in the log and in the list of notifications', async () => {
    const { asking, until, notified, pass, client, events } = await createNotifiedRuntime()
    const { sessionId, requestId } = await asking()

    await until(() => notified().length > 0)
    await pass(2 * MINUTE)

    expect(notified()).toMatchObject([
      {
        type: 'signalbox.notification.needs_you',
        data: { title: 'Fix login needs permission', requestId, count: 1, isReminder: false },
      },
    ])
    expect(notified()[0]?.data.body).toBe('Write: /home/dev/project/a.txt\ncontent: a\nWrites a.txt.')
    expect((await events(sessionId)).at(-1)).toMatchObject({
      type: 'notification.delivered',
      data: { channel: 'hook', user: 'admin', kind: 'needs_you', forRequest: requestId, attempts: 1 },
    })
    const { notifications } = await client.listNotifications()
    expect(notifications).toMatchObject([{ state: 'delivered', channel: 'hook', subjects: [{ requestId }] }])
    expect((await client.listChannels()).channels).toMatchObject([{ name: 'hook', health: 'ok', pending: 0 }])
  })

  test('is not reported if it is answered in time', async () => {
    const { asking, pass, journal, sent } = await createNotifiedRuntime()
    const { sessionId, requestId } = await asking()
    await pass(10_000)

    await journal.append(sessionId, [permissionResolved(requestId)])
    await pass(5 * MINUTE)

    expect(sent()).toEqual([])
  })

  test('is not reported while its user looks at the session, and is reported afterwards', async () => {
    const { asking, pass, notified, notifications } = await createNotifiedRuntime()
    const { sessionId } = await asking()
    for (let minute = 0; minute < 4; minute += 1) {
      notifications.notePresence('admin', [sessionId])
      await pass(MINUTE)
    }
    expect(notified()).toEqual([])

    await pass(2 * MINUTE)

    expect(notified()).toHaveLength(1)
  })

  test('is reported although a viewer looks at the session, who cannot answer', async () => {
    const { asking, until, notified, url, access } = await createNotifiedRuntime()
    const { secret } = await access.createToken({ name: 'screen', role: 'viewer', user: 'admin' })
    const { sessionId } = await asking()
    const viewer = createClient({ url, token: secret })
    await until(async () => {
      await viewer.notePresence({ body: { sessionIds: [sessionId] } })
      return notified().length > 0
    })
  })

  test('is not reported while its session is muted', async () => {
    const { asking, pass, notified, client } = await createNotifiedRuntime()
    const { sessionId } = await asking()
    await client.changeSession({ params: { id: sessionId }, body: { isMuted: true } })
    await pass(5 * MINUTE)
    expect(notified()).toEqual([])

    await client.changeSession({ params: { id: sessionId }, body: { isMuted: false } })
    await pass(MINUTE)

    expect(notified()).toHaveLength(1)
  })

  test('is reported together with others', async () => {
    const { asking, pass, notified } = await createNotifiedRuntime()
    for (let count = 0; count < 3; count += 1) await asking()

    await pass(MINUTE)

    expect(notified()).toMatchObject([
      { data: { title: '3 agents wait for you', count: 3, actions: [], answerUrl: null, requestId: null } },
    ])
    expect(notified()[0]?.data.body).toBe(Array(3).fill('Fix login: Write a.txt').join('\n'))
  })

  test('that was answered later is reported as settled', async () => {
    const { asking, until, pass, notified, sent, inbox } = await createNotifiedRuntime()
    const { requestId } = await asking()
    await until(() => notified().length > 0)

    await inbox.answer(requestId, { decision: 'deny' }, aPerson)
    await pass(10_000)

    expect(sent().at(-1)).toMatchObject({
      type: 'signalbox.notification.settled',
      data: { notificationId: notified()[0]?.id, requestId, text: 'Denied by kim.' },
    })
  })

  test('is reminded of, and passed on to the next user', async () => {
    const { asking, pass, notified, client, service } = await createNotifiedRuntime({ users: { sato: {} } })
    const settings = {
      kind: 'webhook' as const,
      url: `${service.url}/sato`,
      secret: `whsec_${'B'.repeat(32)}`,
    }
    await client.createChannel({ body: { name: 'second', settings: { ...settings, user: 'sato' } } })
    await asking()

    await pass(35 * MINUTE)

    expect(notified().map(({ data }) => data.title)).toEqual([
      'Fix login needs permission',
      'Reminder: Fix login needs permission',
      'Fix login needs permission',
      'Reminder: Fix login needs permission',
    ])
    expect(service.requests.map(({ path }) => path)).toEqual(['/', '/', '/sato', '/sato'])
  })
})

describe('a channel that fails', () => {
  test('is tried again with the same message, and what went wrong is in the log', async () => {
    const { asking, until, notified, service, events } = await createNotifiedRuntime()
    service.planned.push({ status: 503 }, 'cut')
    const { sessionId } = await asking()

    await until(() => notified().length > 0)
    await until(async () => (await events(sessionId)).at(-1)?.type === 'notification.delivered')

    const log = (await events(sessionId)).filter(({ type }) => type.startsWith('notification.'))
    expect(log.map(({ type }) => type)).toEqual([
      'notification.failed',
      'notification.failed',
      'notification.delivered',
    ])
    expect(log.at(-1)).toMatchObject({ data: { attempts: 3, notificationId: notified()[0]?.id } })
  })

  test('is dead when it is refused, with the fix, until it works again', async () => {
    const { asking, until, service, client, notified, pass } = await createNotifiedRuntime()
    service.planned.push({ status: 401 })
    await asking()
    const state = async () => (await client.listChannels()).channels[0]

    await until(async () => (await state())?.health === 'dead')
    expect(await state()).toMatchObject({
      error: expect.stringMatching(/401\. Check its secret/),
      pending: 1,
    })
    await expect(async () => {
      service.planned.push({ status: 401 })
      await client.testChannel({ params: { name: 'hook' }, body: {} })
    }).rejects.toMatchObject({ code: 'channel_failed' })
    await client.testChannel({ params: { name: 'hook' }, body: {} })
    await pass(10_000)

    expect(await state()).toMatchObject({ health: 'ok', error: null, pending: 0 })
    expect(notified().filter(({ data }) => data.requestId !== null)).toHaveLength(1)
  })

  test('lets what it could not deliver expire', async () => {
    const { asking, service, pass, client, events } = await createNotifiedRuntime({
      settings: { expireAfterMs: 10 * MINUTE },
    })
    service.planned.push(...Array.from({ length: 100 }, () => ({ status: 500 })))
    const { sessionId } = await asking()

    await pass(20 * MINUTE)

    expect((await events(sessionId)).at(-1)).toMatchObject({ type: 'notification.expired' })
    expect((await client.listNotifications()).notifications).toMatchObject([
      { state: 'expired', nextTryAt: null },
    ])
  })
})

describe('the end of a turn', () => {
  const end = async (outcome: 'completed' | 'failed' | 'interrupted', durationMs: number) => {
    const runtime = await createNotifiedRuntime()
    const session = await runtime.createSession(undefined, { title: 'Fix login' })
    const turnId = ids.next('trn')
    await runtime.journal.append(session.id, [turnStarted(turnId)])
    await runtime.journal.append(session.id, [
      turnEnded(turnId, { outcome, durationMs, errors: outcome === 'failed' ? ['Overloaded.'] : [] }),
    ])
    await runtime.pass(MINUTE)
    return runtime.notified().map(({ type, data }) => [type, data.title, data.body])
  }

  test('is reported after a long turn and after a failure, and never as a need', async () => {
    expect(await end('completed', 6 * MINUTE)).toEqual([
      ['signalbox.notification.finished', 'Fix login has finished', 'Done.'],
    ])
    expect(await end('completed', MINUTE)).toEqual([])
    expect(await end('interrupted', 6 * MINUTE)).toEqual([])
    expect(await end('failed', 1_000)).toEqual([
      ['signalbox.notification.failed', 'Fix login failed', 'Overloaded.'],
    ])
  })
})

describe('what leaves the machine', () => {
  test('has no secrets', async () => {
    const { asking, until, notified, secrets } = await createNotifiedRuntime()
    secrets.learn(['hunter2-hunter2'])
    await asking({
      input: { command: 'curl -u kim:hunter2-hunter2 x' },
      toolName: 'Bash',
      reason: 'hunter2-hunter2',
    })

    await until(() => notified().length > 0)

    expect(JSON.stringify(notified())).not.toContain('hunter2')
    expect(notified()[0]?.data.body).toContain('[redacted]')
    // Not shown whole: it can be denied, and is allowed on the page.
    expect(notified()[0]?.data.actions.map(({ decision }) => decision)).toEqual(['deny'])
  })

  test('is a title without buttons, if so configured', async () => {
    const { asking, until, notified } = await createNotifiedRuntime({ settings: { isTitlesOnly: true } })
    await asking()
    await until(() => notified().length > 0)
    expect(notified()[0]?.data).toMatchObject({
      title: 'Fix login needs permission',
      body: '',
      actions: [],
      answerUrl: null,
    })
  })

  test('is in the language of its user', async () => {
    const { asking, until, notified } = await createNotifiedRuntime({
      users: { admin: { may: 'answer', language: 'ja' } },
    })
    await asking()
    await until(() => notified().length > 0)
    expect(notified()[0]?.data.title).toBe('Fix login：許可の要求')
  })
})

describe('without a channel', () => {
  test('nothing follows the journal, and presence is not asked for', async () => {
    const { asking, pass, clock, client, store } = await createNotifiedRuntime({ channels: {} })
    const before = clock.timers()
    await asking()
    await pass(5 * MINUTE)

    expect(clock.timers()).toBeLessThanOrEqual(before)
    expect(await store.records('cursor')).toEqual([])
    expect(await store.records('matter')).toEqual([])
    expect(await client.notePresence({ body: { sessionIds: [] } })).toEqual({ isUsed: false })
  })

  test('a channel that is added reports what waits since before', async () => {
    const { asking, until, notified, client, service } = await createNotifiedRuntime({ channels: {} })
    await asking()

    const { channel } = await client.createChannel({
      body: {
        name: 'late',
        settings: { kind: 'webhook', url: service.url, secret: `whsec_${'B'.repeat(32)}` },
      },
    })
    expect(channel).toMatchObject({
      name: 'late',
      source: 'admin',
      user: 'admin',
      may: 'see',
      health: 'unused',
    })

    await until(() => notified().length > 0)
    expect(notified()[0]?.data).toMatchObject({ title: 'Fix login needs permission', actions: [] })
  })
})

describe('users and channels', () => {
  test('are changed by admins, each change is in the audit, and secrets are not shown', async () => {
    const { client, url, access, service } = await createNotifiedRuntime({ channels: {} })
    await client.setUser({ params: { name: 'kim' }, body: { may: 'answer' } })
    const settings = {
      kind: 'webhook' as const,
      url: service.url,
      secret: `whsec_${'C'.repeat(32)}`,
      user: 'kim',
    }
    const made = await client.createChannel({ body: { name: 'chat', settings } })
    await client.changeChannel({ params: { name: 'chat' }, body: { isPaused: true } })
    const operator = createClient({
      url,
      token: (await access.createToken({ name: 'op', role: 'operator', user: 'kim' })).secret,
    })

    await expect(operator.listChannels()).rejects.toMatchObject({ code: 'role_insufficient' })
    expect(JSON.stringify(made)).not.toContain('CCCC')
    const { user } = await client.removeUser({ params: { name: 'kim' } })
    expect(user).toMatchObject({ name: 'kim', may: 'answer', source: 'admin' })

    // The token of the user, and the channel, are gone with the user.
    await expect(operator.about()).rejects.toMatchObject({ code: 'credential_invalid' })
    expect((await client.listChannels()).channels).toEqual([])
    const { records } = await client.listAudit({ query: {} })
    expect(records.map(({ kind, subject }) => `${kind}: ${subject}`).slice(0, 7)).toEqual([
      'user.removed: kim',
      'token.revoked: op',
      'token.created: op (operator)',
      'channel.changed: chat (paused)',
      'channel.changed: chat (webhook, kim, see)',
      'user.changed: kim (answer)',
    ])
  })

  test('of the configuration are changed there', async () => {
    const { client, service } = await createNotifiedRuntime({ users: { kim: {} } })
    const settings = { kind: 'webhook' as const, url: service.url, secret: `whsec_${'C'.repeat(32)}` }
    const refused = { code: 'set_in_config' }
    await expect(client.createChannel({ body: { name: 'hook', settings } })).rejects.toMatchObject(refused)
    await expect(client.removeChannel({ params: { name: 'hook' } })).rejects.toMatchObject(refused)
    await expect(client.removeUser({ params: { name: 'kim' } })).rejects.toMatchObject(refused)
    await expect(client.setUser({ params: { name: 'kim' }, body: {} })).rejects.toMatchObject(refused)
    await expect(client.removeUser({ params: { name: 'admin' } })).rejects.toMatchObject({
      code: 'request_invalid',
    })
    const unknown = client.createChannel({ body: { name: 'x', settings: { ...settings, user: 'nemo' } } })
    await expect(unknown).rejects.toMatchObject({ code: 'user_not_found' })
  })
})
