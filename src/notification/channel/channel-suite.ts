/** Contract tests for every channel that speaks to a service. */

import { describe, expect, test } from 'vitest'
import type { FakeService, PlannedReply } from '../../../test/support/fake-service.js'
import { type ChannelPort, DeliveryError, type OutgoingMessage, type SettledMessage } from './port.js'

export interface OpenedChannel {
  port: ChannelPort
  service: Pick<FakeService, 'planned'>
  /** Ids of the messages that have arrived, in order. */
  received(): string[]
}

export function aMessage(more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    id: 'ntf_01kz5w8qjav9xkd2m4n6p8r0st',
    at: '2026-11-15T12:00:00.000Z',
    kind: 'needs_you',
    isReminder: false,
    severity: null,
    title: 'Fix login needs permission',
    body: 'Bash: npm test\nRuns a program that is not known.',
    url: 'https://box.example.com/requests/per_1',
    count: 1,
    session: { id: 'ses_01kz5w8qj3v9xkd2m4n6p8r0st', name: 'Fix login', cwd: '/srv/shop' },
    requestId: 'per_01kz5w8qj7v9xkd2m4n6p8r0st',
    language: 'en',
    actions: [],
    answerUrl: null,
    mayReply: false,
    openLabel: 'Open',
    ...more,
  }
}

export const TOKEN = `sba_${'A'.repeat(43)}`

/** With both buttons. */
export function anAnswerable(more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const action = (decision: 'allow' | 'deny', label: string) => ({
    decision,
    label,
    token: TOKEN,
    url: 'https://box.example.com/api/v1/answers',
  })
  return aMessage({
    actions: [action('allow', 'Allow'), action('deny', 'Deny')],
    answerUrl: `https://box.example.com/answer#${TOKEN}`,
    ...more,
  })
}

export function aSettled(more: Partial<SettledMessage> = {}): SettledMessage {
  return {
    id: 'ntf_01kz5w8qjav9xkd2m4n6p8r0st',
    receipt: null,
    title: 'Fix login',
    text: 'Allowed by kim.',
    language: 'en',
    requestId: 'per_01kz5w8qj7v9xkd2m4n6p8r0st',
    ...more,
  }
}

export const calm = new AbortController().signal

export function channelSuite(name: string, open: () => Promise<OpenedChannel>): void {
  const failing = async (
    channel: OpenedChannel,
    planned: PlannedReply,
    signal = calm,
  ): Promise<DeliveryError> => {
    channel.service.planned.push(planned)
    const error = await channel.port.send(aMessage(), signal).catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(DeliveryError)
    return error as DeliveryError
  }

  describe(`${name}: what the service does`, () => {
    test('a message is delivered with its id', async () => {
      const channel = await open()
      await channel.port.send(aMessage(), calm)
      expect(channel.received()).toEqual([aMessage().id])
    })

    test.each([500, 502, 503, 408])('%i is worth another attempt', async (status) => {
      expect(await failing(await open(), { status })).toMatchObject({ hope: 'later' })
    })

    test('when it asks to wait, that is known', async () => {
      const body = JSON.stringify({ ok: false, parameters: { retry_after: 7 } })
      const error = await failing(await open(), { status: 429, headers: { 'retry-after': '7' }, body })
      expect(error).toMatchObject({ hope: 'later', retryAfterMs: 7_000 })
    })

    test.each(['cut', 'cut after'] as const)(
      'a connection that is %s is worth another attempt',
      async (planned) => {
        const channel = await open()
        expect(await failing(channel, planned)).toMatchObject({ hope: 'later' })
        await channel.port.send(aMessage(), calm)
        expect(new Set(channel.received())).toEqual(new Set([aMessage().id]))
      },
    )

    test('a service that does not answer is given up with the signal', async () => {
      const error = await failing(await open(), 'hang', AbortSignal.timeout(50))
      expect(error).toMatchObject({ hope: 'later' })
    })

    test('credentials that are refused are not worth another attempt, and the text has the fix', async () => {
      const error = await failing(await open(), { status: 401, body: '{}' })
      expect(error.hope).toBe('never')
      expect(error.message).toMatch(/401.*\. [A-Z]\w+ .*\.$/)
    })

    test('a redirect is refused', async () => {
      const error = await failing(await open(), { status: 302, headers: { location: 'http://127.0.0.1:1/' } })
      expect(error.hope).toBe('never')
    })
  })
}
