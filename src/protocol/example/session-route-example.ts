/** Examples of the routes of sessions. */

import type { RouteName, RouteReply, RouteRequest } from '../route.js'
import {
  AT,
  BEFORE,
  CHANGED_FILE,
  COMMENT,
  CWD,
  ID,
  KIM,
  SESSION,
  TOTALS,
  WORKTREE,
} from './value-example.js'

export type RouteExample<Name extends RouteName> = RouteRequest<Name> & {
  /** For a stream, which has no reply schema: its first lines. */
  reply: RouteReply<Name> extends undefined ? string : RouteReply<Name>
}

const params = { id: ID.session }
const session = { session: SESSION }
const event = {
  seq: 3,
  id: ID.event,
  sessionId: ID.session,
  at: AT,
  type: 'message.delivered' as const,
  data: { messageId: ID.message },
}
const stream = `id: 3\ndata: ${JSON.stringify(event)}\n\n`
const worktree = { ...WORKTREE, uncommitted: 0, ahead: 2, behind: 0, hasRemote: true, hasGh: true }
const diff = {
  files: [
    {
      ...CHANGED_FILE,
      hunks: [
        {
          oldStart: 12,
          oldLines: 1,
          newStart: 12,
          newLines: 3,
          lines: ['-const wait = 5000', '+const SECOND = 1000', '+', '+const wait = 5 * SECOND'],
        },
      ],
    },
  ],
  totals: TOTALS,
  changeIds: [ID.change],
}

export const sessionRouteExamples = {
  createSession: {
    body: { cwd: CWD, prompt: 'Fix the login test', options: { maxTurns: 50 } },
    reply: session,
  },
  listSessions: {
    query: { state: 'permission', limit: 20 },
    reply: { sessions: [SESSION], nextCursor: null },
  },
  getSession: { params, reply: session },
  deleteSession: { params, reply: { sessionId: ID.session } },
  sendMessage: {
    params,
    body: { text: 'Add a test for logout', whenBusy: 'queue' },
    reply: { messageId: ID.message },
  },
  interruptSession: { params, body: {}, reply: session },
  stopSession: { params, body: { reason: 'done' }, reply: session },
  resumeSession: { params, body: { continue: true }, reply: session },
  changeSession: { params, body: { title: 'Login', permissionMode: 'acceptEdits' }, reply: session },
  forkSession: { params, body: { at: ID.message, prompt: 'Try another way' }, reply: session },
  rewindSession: {
    params,
    body: { to: ID.message, dryRun: true },
    reply: { rewound: { files: [`${CWD}/src/login.ts`], insertions: 3, deletions: 12 } },
  },
  listChanges: {
    params,
    reply: {
      changes: [
        {
          id: ID.change,
          seq: 9,
          at: AT,
          source: 'call',
          turnId: ID.turn,
          turn: 1,
          toolUseIds: [ID.tool],
          files: [CHANGED_FILE],
          totals: TOTALS,
          isUndone: false,
        },
      ],
      recording: {
        isOn: true,
        reason: null,
        maxFileMegabytes: 20,
        maxIgnoredFiles: 1_000,
        maxIgnoredMegabytes: 50,
      },
    },
  },
  getDiff: { params, query: { turn: -1 }, reply: { diff } },
  getChangedPicture: {
    params,
    query: { change: ID.change, file: 'docs/logo.png', side: 'after' },
    reply: { picture: { mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
  },
  undoChanges: {
    params,
    body: { call: ID.tool, preview: true },
    reply: { undo: { changeId: null, undone: [ID.change], diff, conflicts: [], adminFiles: [], left: [] } },
  },
  listWorktrees: {
    query: { cwd: CWD },
    reply: {
      worktrees: [
        {
          path: CWD,
          branch: 'main',
          commit: BEFORE.id,
          isMain: true,
          isOurs: false,
          base: null,
          createdAt: null,
        },
      ],
    },
  },
  getWorktree: { params, reply: { worktree } },
  changeWorktree: {
    params,
    body: { action: 'merge' },
    reply: {
      result: { action: 'merge', output: 'Fast-forward', url: null, worktree: { ...worktree, ahead: 0 } },
    },
  },
  listComments: {
    params,
    reply: {
      comments: [
        { ...COMMENT, messageId: ID.message, sessionId: ID.session, at: AT, by: KIM, isResolved: false },
      ],
    },
  },
  sendComments: { params, body: { comments: [COMMENT] }, reply: { messageId: ID.message } },
  compactSession: {
    params,
    body: { instructions: 'Keep the list of files.' },
    reply: { messageId: ID.message },
  },
  stopTask: { params: { ...params, taskId: ID.task }, body: {}, reply: session },
  inspectSession: {
    params: { ...params, what: 'models' },
    reply: { what: 'models', value: [{ value: 'default', displayName: 'Default' }] },
  },
  setMcpServers: {
    params,
    body: { configured: ['issues'] },
    reply: { change: { added: ['issues'], removed: [], errors: {} } },
  },
  editMessage: {
    params: { ...params, messageId: ID.message },
    body: { text: 'Add two tests for logout' },
    reply: { messageId: ID.message },
  },
  cancelMessage: { params: { ...params, messageId: ID.message }, reply: { messageId: ID.message } },
  revokeGrant: { params, body: { tool: 'Bash', command: 'npm test -- login' }, reply: session },
  listEvents: {
    params,
    query: { after: 2, limit: 100 },
    reply: { events: [event], nextCursor: null, gap: null },
  },
  streamSession: { params, query: { after: 2 }, reply: stream },
  streamAll: { query: { type: 'message.delivered' }, reply: stream },
  search: {
    query: { q: 'login', folder: CWD, since: AT },
    reply: {
      results: [
        {
          sessionId: ID.session,
          title: 'Fix the login test',
          cwd: CWD,
          seq: 2,
          at: AT,
          type: 'message.queued',
          name: 'Fix the login test',
          snippet: 'Fix the login test',
        },
      ],
      nextCursor: null,
    },
  },
} satisfies { readonly [Name in RouteName]?: RouteExample<Name> }
