/** Builders with good defaults: a test names only what matters to it. */

import { randomUUID } from 'node:crypto'
import { createIdSource } from '../../src/lib/id.js'
import type { DataOf, EventDraft } from '../../src/protocol/event/event.js'
import type { Actor } from '../../src/protocol/value.js'

export const ids = createIdSource()

export const aPerson: Actor = { who: 'kim', via: 'api' }

export function sessionCreated(data: Partial<DataOf<'session.created'>> = {}): EventDraft {
  return {
    type: 'session.created',
    data: {
      kind: 'managed',
      cwd: '/home/dev/project',
      title: null,
      model: null,
      permissionMode: 'default',
      parentId: null,
      by: aPerson,
      agent: null,
      policy: null,
      options: {},
      conversation: { kind: 'new', id: randomUUID() },
      ...data,
    },
  }
}

export function messageQueued(text: string, messageId = ids.next('msg')): EventDraft {
  return { type: 'message.queued', data: { messageId, text, whenBusy: 'inject', from: aPerson } }
}

export function permissionRequested(
  requestId: string,
  data: Partial<DataOf<'permission.requested'>> = {},
): EventDraft {
  return {
    type: 'permission.requested',
    data: {
      requestId,
      toolUseId: 'toolu_1',
      toolName: 'Write',
      input: { file_path: '/home/dev/project/a.txt', content: 'a' },
      inputDigest: 'digest',
      title: 'Write a.txt',
      reason: 'Writing files is asked.',
      suggestions: [],
      ...data,
    },
  }
}

export function permissionResolved(
  requestId: string,
  data: Partial<DataOf<'permission.resolved'>> = {},
): EventDraft {
  return {
    type: 'permission.resolved',
    data: {
      requestId,
      decision: 'allow',
      by: 'person',
      who: 'kim',
      via: 'api',
      rule: null,
      reason: null,
      ...data,
    },
  }
}

export function turnStarted(turnId: string, messageIds: string[] = []): EventDraft {
  return { type: 'turn.started', data: { turnId, messageIds, origin: { kind: 'person' } } }
}

export function turnEnded(turnId: string, data: Partial<DataOf<'turn.ended'>> = {}): EventDraft {
  return {
    type: 'turn.ended',
    data: {
      turnId,
      outcome: 'completed',
      stopReason: 'finished',
      durationMs: 5,
      turns: 1,
      usage: null,
      modelUsage: null,
      costUsd: null,
      text: 'Done.',
      errors: [],
      ...data,
    },
  }
}

export function textEnded(text: string, index = 0): EventDraft {
  return { type: 'text.ended', data: { messageId: 'msg_1', index, text } }
}

export function notice(text: string): EventDraft {
  return { type: 'notice.raised', data: { level: 'info', topic: 'test', text } }
}
