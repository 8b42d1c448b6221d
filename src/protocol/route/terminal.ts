/** Routes for terminal sessions. */

import { z } from 'zod'
import { HookStatus } from '../terminal/hook-status.js'
import { TerminalSession, TerminalSkill } from '../terminal/terminal-session.js'
import { TranscriptStatus } from '../terminal/transcript-status.js'
import { BASE, Limit, type Route } from './shape.js'

export const terminalRoutes = {
  listTerminalSessions: {
    method: 'GET',
    path: `${BASE}/lifecycle/sessions`,
    role: 'viewer',
    summary: 'List sessions in terminals, most recently active first',
    query: z.strictObject({
      state: TerminalSession.shape.state.optional(),
      limit: Limit.optional(),
      /** Claude's id of the last session of the previous page. */
      cursor: z.string().optional(),
    }),
    status: 200,
    reply: z.strictObject({ sessions: z.array(TerminalSession), nextCursor: z.string().nullable() }),
  },
  listTerminalSkills: {
    method: 'GET',
    path: `${BASE}/lifecycle/skills`,
    role: 'viewer',
    summary: 'List skill runs in terminals: who started them, their outcome and duration; newest first',
    query: z.strictObject({
      state: TerminalSkill.shape.state.optional(),
      sessionId: z.string().optional(),
      limit: Limit.optional(),
      cursor: z.string().optional(),
    }),
    status: 200,
    reply: z.strictObject({ skills: z.array(TerminalSkill), nextCursor: z.string().nullable() }),
  },
  hookStatus: {
    method: 'GET',
    path: `${BASE}/lifecycle/hooks`,
    role: 'viewer',
    summary:
      'Get the status of the lifecycle hook: installed, runs, fires; null if the daemon does not follow terminals',
    status: 200,
    reply: z.strictObject({ hooks: HookStatus.nullable() }),
  },
  transcriptStatus: {
    method: 'GET',
    path: `${BASE}/lifecycle/transcripts`,
    role: 'viewer',
    summary:
      'Get the state of the import of transcripts: how many conversations of terminals are kept, and their size; null if the daemon does not follow terminals',
    status: 200,
    reply: z.strictObject({ transcripts: TranscriptStatus.nullable() }),
  },
  holdRequest: {
    method: 'POST',
    path: `${BASE}/lifecycle/hold`,
    role: 'operator',
    summary:
      'Used by the hook in terminals: waits until the request is answered and returns the output of the hook',
    body: z.strictObject({ lineId: z.uuid() }),
    fields: { lineId: 'operator' },
    maxBodyBytes: 1_024,
    status: 200,
    reply: null,
  },
} as const satisfies Record<string, Route>
