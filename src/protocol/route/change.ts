/** Routes for the changes of a session: review, comment, undo. */

import { z } from 'zod'
import {
  Change,
  ChangedPicture,
  Diff,
  DiffQuery,
  Recording,
  SendComments,
  SentComment,
  selection,
  UndoChanges,
  UndoResult,
} from '../change/diff.js'
import { MessageId } from '../id.js'
import { fieldsFor } from '../option/field-role.js'
import { BASE, MEGABYTE, type Route, sessionParams } from './shape.js'

export const changeRoutes = {
  listChanges: {
    method: 'GET',
    path: `${BASE}/sessions/:id/changes`,
    role: 'viewer',
    summary:
      'List the recorded changes of files by a session, oldest first, and whether changes are recorded',
    params: sessionParams,
    status: 200,
    reply: z.strictObject({ changes: z.array(Change), recording: Recording }),
  },
  getDiff: {
    method: 'GET',
    path: `${BASE}/sessions/:id/diff`,
    role: 'viewer',
    summary:
      'Get the diff of a session, a turn, a call, a subagent or a change; or against the start or HEAD',
    params: sessionParams,
    query: DiffQuery,
    status: 200,
    reply: z.strictObject({ diff: Diff }),
  },
  getChangedPicture: {
    method: 'GET',
    path: `${BASE}/sessions/:id/diff/picture`,
    role: 'viewer',
    summary: 'Get a picture before or after a change',
    params: sessionParams,
    query: z.strictObject({
      ...selection,
      file: z.string().min(1).max(4_096),
      side: z.enum(['before', 'after']),
    }),
    status: 200,
    reply: z.strictObject({ picture: ChangedPicture }),
  },
  undoChanges: {
    method: 'POST',
    path: `${BASE}/sessions/:id/undo`,
    role: 'operator',
    steers: 'session',
    summary: 'Undo changes of a session, or redo an undo; with preview, only say what would be done',
    params: sessionParams,
    body: UndoChanges,
    fields: fieldsFor(
      'operator',
      'turn',
      'call',
      'agent',
      'changes',
      'to',
      'all',
      'files',
      'background',
      'preview',
      'interrupt',
    ),
    status: 200,
    reply: z.strictObject({ undo: UndoResult }),
  },
  listComments: {
    method: 'GET',
    path: `${BASE}/sessions/:id/comments`,
    role: 'viewer',
    summary: 'List the comments on changes that were sent to the agent, oldest first',
    params: sessionParams,
    status: 200,
    reply: z.strictObject({ comments: z.array(SentComment) }),
  },
  sendComments: {
    method: 'POST',
    path: `${BASE}/sessions/:id/comments`,
    role: 'operator',
    steers: 'session',
    summary: 'Send comments on lines of a diff to the agent, as one message',
    params: sessionParams,
    body: SendComments,
    fields: fieldsFor('operator', 'comments', 'whenBusy', 'idempotencyKey'),
    maxBodyBytes: 2 * MEGABYTE,
    status: 202,
    reply: z.strictObject({ messageId: MessageId }),
  },
} as const satisfies Record<string, Route>
