/** Events around a session: context, files, usage, notices, errors, and SDK messages without an event of their own. */

import { z } from 'zod'
import { ChangeSource, recordedChange } from '../change/change.js'
import { Comment } from '../change/comment.js'
import { ErrorCode } from '../error-schema.js'
import { ChangeId, MessageId, SessionId, TurnId } from '../id.js'
import { ReasonParts } from '../reason/reason-part.js'
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
  /**
   * Calls changed files. `before` and `after` are the states of the workspace around the change; where others changed
   * files at the same time, states with these files alone.
   */
  defineEvent('changes.recorded', {
    ...recordedChange,
    source: ChangeSource,
    turnId: TurnId.nullable(),
    /** The calls of this session that can have made it: several, if they ran at the same time. */
    toolUseIds: z.array(z.string()),
    /** The subagent that made it. */
    agentId: z.string().optional(),
    /** Calls of other sessions ran at the same time and can have made it too. They have an event with the same id. */
    isShared: z.literal(true).optional(),
  }),
  /** A user undid changes, or with `isRedo` an earlier undo. To redo it is to undo this change. */
  defineEvent('changes.undone', {
    ...recordedChange,
    /** The changes that were undone. */
    undone: z.array(ChangeId),
    by: Actor,
    isRedo: z.literal(true).optional(),
    /** Only some files of these changes were undone. */
    isPartial: z.literal(true).optional(),
    /** Files that were left as they are, because they changed while an undo was interrupted by a crash. */
    skipped: z.array(z.string()).optional(),
  }),
  /** Another session that has not ended changed the same files. */
  defineEvent('changes.overlapped', { sessionId: SessionId, files: z.array(z.string()) }),
  /** Comments on lines of a diff, which the agent gets with this message. */
  defineEvent('comments.sent', { messageId: MessageId, comments: z.array(Comment), by: Actor }),
  /** Usage that no `turn.ended` reports, such as that of a terminal session. */
  defineEvent('usage.recorded', { turnId: TurnId.nullable(), models: z.record(z.string(), ModelUsage) }),
  defineEvent('notice.raised', {
    level: z.enum(['info', 'warning', 'error']),
    /** Subject: `retry`, `rate_limit`, `auth`, `mcp`, `model`, `hook`, `stderr` … */
    topic: z.string(),
    text: z.string(),
    /** The text as codes and parameters, unless it is that of Claude Code. */
    textParts: ReasonParts.optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  defineEvent('sdk.message', { message: z.unknown() }),
  defineEvent('error.raised', { code: ErrorCode, message: z.string() }),
] as const
