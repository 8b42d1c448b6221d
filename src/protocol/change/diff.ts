/** Diffs of recorded changes, and the questions that they answer. */

import { z } from 'zod'
import { ChangeId, MessageId, SessionId, TurnId } from '../id.js'
import { Actor, Timestamp } from '../value.js'
import { ChangedFile, ChangeSource, ChangeTotals } from './change.js'
import { Comment } from './comment.js'

export const DiffHunk = z.strictObject({
  oldStart: z.int().min(0),
  oldLines: z.int().min(0),
  newStart: z.int().min(0),
  newLines: z.int().min(0),
  /** Each with ` `, `+`, `-` or `\` before it, as in a patch. */
  lines: z.array(z.string()),
})
export type DiffHunk = z.infer<typeof DiffHunk>

export const DiffFile = z.strictObject({
  ...ChangedFile.shape,
  hunks: z.array(DiffHunk),
  isBinary: z.literal(true).optional(),
  /** A picture, which can be shown. */
  isImage: z.literal(true).optional(),
  /** Lines are missing, or end early: it is not in a patch. */
  isTruncated: z.literal(true).optional(),
  /** Permission bits in octal, where they changed; also of programs that are new or gone. */
  modes: z.strictObject({ before: z.string(), after: z.string() }).optional(),
})
export type DiffFile = z.infer<typeof DiffFile>

export const Diff = z.strictObject({
  files: z.array(DiffFile),
  totals: ChangeTotals,
  /** The changes that it shows; empty if it compares states. */
  changeIds: z.array(ChangeId),
})
export type Diff = z.infer<typeof Diff>

/** Which changes of a session: all, or those of a turn, a call, a subagent, or one. */
export const selection = {
  /** The number of a turn, from 1; negative from the end, -1 is the last. */
  turn: z.coerce.number().int().optional(),
  /** Claude's id of a tool call. */
  call: z.string().min(1).max(200).optional(),
  agent: z.string().min(1).max(200).optional(),
  change: ChangeId.optional(),
}

export const DiffQuery = z.strictObject({
  ...selection,
  /** Compares the files now with those at the start of the session, or with the commit that is checked out. */
  against: z.enum(['start', 'head']).optional(),
  file: z.string().min(1).max(4_096).optional(),
  /** Lines around each change. */
  context: z.coerce.number().int().min(0).max(1_000).optional(),
})
export type DiffQuery = z.infer<typeof DiffQuery>

/** A recorded change, or an undo, in the list of a session. */
export const Change = z.strictObject({
  id: ChangeId,
  seq: z.int().min(1),
  at: Timestamp,
  source: ChangeSource,
  turnId: TurnId.nullable(),
  /** The number of its turn, from 1. */
  turn: z.int().min(1).nullable(),
  toolUseIds: z.array(z.string()),
  agentId: z.string().optional(),
  isShared: z.literal(true).optional(),
  files: z.array(ChangedFile),
  totals: ChangeTotals,
  uncovered: z.array(z.string()).optional(),
  /** Of an undo: what it undid, and who did it. */
  undone: z.array(ChangeId).optional(),
  by: Actor.optional(),
  isRedo: z.literal(true).optional(),
  /** It was undone, and that was not undone in turn. */
  isUndone: z.boolean(),
})
export type Change = z.infer<typeof Change>

/** Whether changes are recorded, and what undo does not cover. */
export const Recording = z.strictObject({
  isOn: z.boolean(),
  reason: z.string().nullable(),
  maxFileMegabytes: z.number(),
  maxIgnoredFiles: z.int(),
  maxIgnoredMegabytes: z.number(),
})
export type Recording = z.infer<typeof Recording>

export const UndoChanges = z.strictObject({
  turn: z.int().optional(),
  call: selection.call,
  agent: selection.agent,
  /** One or several changes. To redo, the change that an undo made. */
  changes: z.array(ChangeId).min(1).max(1_000).optional(),
  /** Everything since before this message of a user was read. */
  to: MessageId.optional(),
  /** All changes of the session. */
  all: z.literal(true).optional(),
  /** Only these files. */
  files: z.array(z.string().min(1).max(4_096)).min(1).max(1_000).optional(),
  /** Also what changed while only background commands ran: others may have made it. */
  background: z.boolean().optional(),
  /** Only says what would be done. */
  preview: z.boolean().optional(),
  /** Interrupts sessions that work in the folder first. */
  interrupt: z.boolean().optional(),
})
export type UndoChanges = z.infer<typeof UndoChanges>

export const UndoConflict = z.strictObject({
  path: z.string(),
  /** Changed, deleted or created by someone since; a binary file; a folder in its place; made by several calls at once. */
  reason: z.enum(['changed', 'deleted', 'created', 'binary', 'replaced', 'shared']),
})
export type UndoConflict = z.infer<typeof UndoConflict>

export const UndoResult = z.strictObject({
  /** The change that it made; null for a preview, and if there was nothing to do. */
  changeId: ChangeId.nullable(),
  undone: z.array(ChangeId),
  /** Changes of the files, as a diff. Without lines if it was carried out. */
  diff: Diff,
  conflicts: z.array(UndoConflict),
  /** Files that only an admin can undo: protected files, and those that control agents or tools. */
  adminFiles: z.array(z.string()),
  /** Changes that were left alone, because others can have made them. */
  left: z.array(ChangeId),
})
export type UndoResult = z.infer<typeof UndoResult>

export const SendComments = z.strictObject({
  comments: z.array(Comment).min(1).max(100),
  whenBusy: z.enum(['inject', 'queue', 'replace']).optional(),
  idempotencyKey: z.string().min(1).max(200).optional(),
})
export type SendComments = z.infer<typeof SendComments>

export const SentComment = z.strictObject({
  ...Comment.shape,
  messageId: MessageId,
  sessionId: SessionId,
  at: Timestamp,
  by: Actor,
  /** The lines have changed since, or the file is gone. */
  isResolved: z.boolean(),
})
export type SentComment = z.infer<typeof SentComment>

/** A picture before or after a change. */
export const ChangedPicture = z.strictObject({
  mediaType: z.string(),
  /** In base64; null if there was none on this side. */
  data: z.string().nullable(),
})
export type ChangedPicture = z.infer<typeof ChangedPicture>
