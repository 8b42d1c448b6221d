import { expect, test } from 'vitest'
import type { SessionEvent } from '../../protocol/event/event.js'
import { Turns } from './turns.js'

function setup(pending: string[] = []) {
  const turns = new Turns(null, pending)
  const apply = (type: string, data: Record<string, unknown>) =>
    // Cast: only what is read here.
    turns.apply({ type, data } as unknown as SessionEvent)
  const start = (turnId: string, ...messageIds: string[]) => apply('turn.started', { turnId, messageIds })
  const end = (turnId: string, stopReason: string, outcome = 'completed', errors: string[] = []) =>
    apply('turn.ended', { turnId, stopReason, outcome, errors })
  return { turns, apply, start, end }
}

test.each([
  ['finished', 'end_turn'],
  ['max_output_tokens', 'max_tokens'],
  ['max_turns', 'max_turn_requests'],
  ['refusal', 'refusal'],
  ['interrupted', 'cancelled'],
])('a turn that ends with %s ends its prompt with %s', async (stopReason, reason) => {
  const { turns, start, end } = setup()
  const prompt = turns.add('m')
  start('other', 'x')
  end('other', 'finished')
  start('t', 'm')
  end('t', stopReason, stopReason === 'finished' ? 'completed' : 'failed')
  expect(await prompt).toBe(reason)
})

test('a prompt that joins a running turn ends with it', async () => {
  const { turns, apply, start, end } = setup()
  start('t', 'x')
  const prompt = turns.add('m')
  apply('message.delivered', { messageId: 'm' })
  end('t', 'finished')
  expect(await prompt).toBe('end_turn')
})

test('a failed turn is an error with its cause, unless the editor has cancelled', async () => {
  const { turns, start, end } = setup()
  const first = turns.add('m')
  start('t', 'm')
  end('t', 'api_error', 'failed', ['The model does not answer.'])
  await expect(first).rejects.toMatchObject({
    message: 'The model does not answer.',
    data: { stopReason: 'api_error' },
  })

  const second = turns.add('n')
  start('u', 'n')
  turns.isCancelled = true
  end('u', 'api_error', 'failed', ['aborted'])
  expect(await second).toBe('cancelled')
})

test('a message that was never read ends its prompt', async () => {
  const { turns, apply } = setup()
  const failed = turns.add('m')
  apply('message.cancelled', { messageId: 'm', reason: 'Claude Code did not start.' })
  await expect(failed).rejects.toThrow('Claude Code did not start.')

  const cancelled = turns.add('n')
  turns.isCancelled = true
  apply('message.cancelled', { messageId: 'n', reason: 'Interrupted.' })
  expect(await cancelled).toBe('cancelled')
})

test('a turn that a restart has cut off goes on with the answer to its request', async () => {
  const { turns, apply, start, end } = setup()
  const prompt = turns.add('m')
  start('t', 'm')
  apply('permission.requested', { requestId: 'r' })
  end('t', 'daemon_restarted', 'interrupted')
  apply('permission.resolved', { requestId: 'r', by: 'person' })
  start('u')
  end('u', 'finished')
  expect(await prompt).toBe('end_turn')
})

test('without a request, or when it is resolved without an answer, a restart ends the prompt with an error', async () => {
  const { turns, apply, start, end } = setup()
  const first = turns.add('m')
  start('t', 'm')
  end('t', 'daemon_restarted', 'interrupted')
  await expect(first).rejects.toThrow('restarted')

  const second = turns.add('n')
  start('u', 'n')
  apply('permission.requested', { requestId: 'r' })
  end('u', 'daemon_restarted', 'interrupted')
  apply('permission.resolved', { requestId: 'r', by: 'shutdown' })
  await expect(second).rejects.toThrow('restarted')
})
