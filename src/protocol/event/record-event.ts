/** Events around a session: context, files, usage, notices, errors, and SDK messages without an event of their own. */

import { z } from 'zod'
import { ErrorCode } from '../error-schema.js'
import { TurnId } from '../id.js'
import { Actor, ModelUsage } from '../value.js'
import { defineEvent } from './define-event.js'

export const recordEvents = [
  defineEvent('context.compacted', {
    trigger: z.string(),
    preTokens: z.number().nullable(),
    postTokens: z.number().nullable(),
    durationMs: z.number().nullable(),
  }),
  defineEvent('files.rewound', {
    by: Actor.optional(),
    messageId: z.string(),
    files: z.array(z.string()),
    insertions: z.number(),
    deletions: z.number(),
  }),
  /** Usage that no `turn.ended` reports, such as that of a terminal session. */
  defineEvent('usage.recorded', { turnId: TurnId.nullable(), models: z.record(z.string(), ModelUsage) }),
  defineEvent('notice.raised', {
    level: z.enum(['info', 'warning', 'error']),
    /** Subject: `retry`, `rate_limit`, `auth`, `mcp`, `model`, `hook`, `stderr` … */
    topic: z.string(),
    text: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  defineEvent('sdk.message', { message: z.unknown() }),
  defineEvent('error.raised', { code: ErrorCode, message: z.string() }),
] as const
