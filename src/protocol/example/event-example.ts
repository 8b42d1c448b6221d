/** The meaning of each event in one sentence, with an example of its data. Printed in docs/protocol.md. */

import type { DataOf, DeltaDraft, DeltaType, EventType } from '../event/event.js'
import {
  AFTER,
  AT,
  BEFORE,
  CHANGED_FILE,
  COMMENT,
  CWD,
  DIGEST,
  ID,
  KIM,
  TOTALS,
  USAGE,
  WORKTREE,
} from './value-example.js'

export interface EventExample<Data> {
  meaning: string
  data: Data
}

type DeltaData<Type extends DeltaType> = (DeltaDraft & { type: Type })['data']

const block = { messageId: 'msg_01XFDUDYJgAACzvnptvVoYEL', index: 0 }
const call = {
  toolUseId: ID.tool,
  toolName: 'Bash',
  input: { command: 'npm test -- login' },
  inputDigest: DIGEST,
}
const aNotification = {
  notificationId: ID.notification,
  channel: 'phone',
  user: 'kim',
  kind: 'needs_you',
  forRequest: ID.permission,
} as const
const byKim = { by: 'person', ...KIM, reason: null } as const

/** Exhaustive: a missing event is a compile error. */
export const eventExamples: { readonly [Type in EventType]: EventExample<DataOf<Type>> } = {
  'session.created': {
    meaning: 'A session exists; the first event of its log.',
    data: {
      kind: 'managed',
      cwd: CWD,
      title: 'Fix the login test',
      model: null,
      permissionMode: 'default',
      parentId: null,
      by: KIM,
      agent: null,
      options: { maxTurns: 50 },
      conversation: { kind: 'new', id: ID.claude },
    },
  },
  'session.started': {
    meaning: 'The CLI reported its model, tools and servers; repeated when they change.',
    data: {
      claudeSessionId: ID.claude,
      model: 'claude-sonnet-4-5',
      permissionMode: 'default',
      cwd: CWD,
      tools: ['Bash', 'Read', 'Write'],
      mcpServers: [{ name: 'signalbox', status: 'connected' }],
      commands: ['compact'],
      skills: [],
      agents: ['general-purpose'],
      claudeVersion: '2.1.325',
    },
  },
  'session.changed': {
    meaning: 'Some fields of the snapshot changed; only those are present.',
    data: { state: 'working', activity: 'thinking' },
  },
  'session.stopping': {
    meaning: 'The session is being stopped and ends when its process is gone.',
    data: { outcome: 'interrupted', reason: 'Stopped by kim.' },
  },
  'worktree.created': {
    meaning: 'A worktree was made for the session, with a branch of its own.',
    data: { ...WORKTREE, by: KIM },
  },
  'worktree.changed': {
    meaning: 'A user committed, merged, rebased, pushed or removed the worktree of the session.',
    data: { action: 'merge', branch: WORKTREE.branch, base: WORKTREE.base, by: KIM },
  },
  'setup.started': {
    meaning: 'The command that prepares a worktree started; messages wait for its end.',
    data: { command: 'npm ci' },
  },
  'setup.ended': {
    meaning: 'The command that prepares a worktree ended.',
    data: { outcome: 'completed', exitCode: 0, output: 'added 213 packages', durationMs: 8_400 },
  },
  'session.ended': {
    meaning: 'The session ended and its process is gone; it can be resumed.',
    data: { outcome: 'completed', reason: 'Stopped by kim.' },
  },
  'message.queued': {
    meaning: 'A message was stored and waits for the agent.',
    data: { messageId: ID.message, text: 'Fix the login test', whenBusy: 'inject', from: KIM },
  },
  'message.delivered': {
    meaning: 'The agent read the message.',
    data: { messageId: ID.message, turnId: ID.turn },
  },
  'message.cancelled': {
    meaning: 'The message left the queue without being read.',
    data: { messageId: ID.message, reason: 'Interrupted before it was read.' },
  },
  'turn.started': {
    meaning: 'The agent started to work on one or more messages, or resumed on its own.',
    data: { turnId: ID.turn, messageIds: [ID.message], origin: { kind: 'person' } },
  },
  'turn.ended': {
    meaning: 'The turn ended, with its outcome, tokens and cost.',
    data: {
      turnId: ID.turn,
      outcome: 'completed',
      stopReason: 'finished',
      durationMs: 8_200,
      turns: 3,
      usage: USAGE,
      modelUsage: { 'claude-sonnet-4-5': { ...USAGE, costUsd: 0.012, contextWindow: 200_000 } },
      costUsd: 0.012,
      text: 'The test passes now.',
      errors: [],
    },
  },
  'text.ended': {
    meaning: 'A block of text is complete.',
    data: { ...block, text: 'The test passes now.' },
  },
  'thinking.ended': {
    meaning: 'A block of thinking is complete.',
    data: { ...block, text: 'The test fails because the clock is not mocked.' },
  },
  'tool.requested': {
    meaning: 'The agent asked for a tool call; nothing has run yet.',
    data: { toolUseId: ID.tool, name: 'Bash', input: call.input },
  },
  'tool.started': {
    meaning: 'The call was allowed and runs; `input` is present if it was changed.',
    data: { toolUseId: ID.tool, by: 'person: kim' },
  },
  'tool.judged': {
    meaning:
      'The policy or a command hook decided a call without a user; decisions of users are in the request.',
    data: {
      toolUseId: ID.tool,
      name: 'Bash',
      title: 'git status',
      inputDigest: DIGEST,
      decision: 'allow',
      by: 'policy: read-only',
    },
  },
  'tool.progressed': {
    meaning: 'A running call reported progress.',
    data: { toolUseId: ID.tool, elapsedMs: 2_000 },
  },
  'tool.ended': {
    meaning: 'The call ended, or was denied, blocked or cancelled; each requested call has exactly one end.',
    data: {
      toolUseId: ID.tool,
      name: 'Bash',
      outcome: 'completed',
      result: { stdout: '1 passed', stderr: '' },
      durationMs: 3_100,
    },
  },
  'completion.recorded': {
    meaning: 'The agent reported the result of its task with the tool `attempt_completion`.',
    data: { toolUseId: ID.tool, result: 'The login test passes.', success: true },
  },
  'hook.started': {
    meaning: 'A command hook started.',
    data: {
      hookId: 'hook-1',
      command: 'check-style.sh',
      event: 'PreToolUse',
      matcher: 'Write',
      toolUseId: ID.tool,
    },
  },
  'hook.ended': {
    meaning: 'The command hook ended; `blocked` stops the call, `broken` is a hook that failed.',
    data: { hookId: 'hook-1', exitCode: 0, outcome: 'passed', durationMs: 40 },
  },
  'skill.started': {
    meaning: 'A skill started, called by the model or typed by a user.',
    data: {
      skillName: 'review',
      triggerCommand: '/review',
      turnSeq: 2,
      targetDocPath: null,
      startedBy: 'person',
    },
  },
  'skill.ended': {
    meaning: 'The skill ended.',
    data: {
      skillName: 'review',
      triggerCommand: '/review',
      turnSeq: 2,
      targetDocPath: null,
      outcome: 'completed',
      durationMs: 9_000,
    },
  },
  'agent.started': {
    meaning: 'A subagent started; its events carry `agentId`.',
    data: {
      agentId: ID.agent,
      agentType: 'general-purpose',
      description: 'Find the failing test',
      parentToolUseId: ID.tool,
      isBackground: false,
    },
  },
  'agent.ended': {
    meaning: 'The subagent ended.',
    data: { agentId: ID.agent, outcome: 'completed', text: 'login.test.ts fails.' },
  },
  'task.started': {
    meaning: 'A background task started; it can outlive the turn.',
    data: {
      taskId: ID.task,
      kind: 'shell',
      description: 'npm run dev',
      toolUseId: ID.tool,
      isBackground: true,
    },
  },
  'task.progressed': {
    meaning: 'A background task reported progress.',
    data: { taskId: ID.task, description: 'npm run dev', tokens: 1_200 },
  },
  'task.ended': {
    meaning: 'The background task ended.',
    data: { taskId: ID.task, outcome: 'completed', summary: 'The server stopped.' },
  },
  'permission.requested': {
    meaning: 'A call waits for the permission of a user.',
    data: {
      requestId: ID.permission,
      ...call,
      title: 'npm test -- login',
      reason: 'Runs code of the workspace (npm test).',
      suggestions: [],
      grant: { tool: 'Bash', command: 'npm test -- login', folder: CWD },
    },
  },
  'permission.resolved': {
    meaning: 'The permission was given or denied; each request is resolved exactly once.',
    data: { requestId: ID.permission, ...byKim, decision: 'allow', rule: null },
  },
  'question.requested': {
    meaning: 'The agent, or with `form` an MCP server, waits for an answer of a user.',
    data: {
      requestId: ID.question,
      ...call,
      toolName: 'AskUserQuestion',
      input: { questions: [{ question: 'Which database?' }] },
      questions: [{ question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'Postgres' }] }],
    },
  },
  'question.resolved': {
    meaning: 'The question was answered; `answers` is null if a form was answered or no answer was given.',
    data: { requestId: ID.question, ...byKim, answers: { 'Which database?': 'SQLite' } },
  },
  'request.parked': {
    meaning: 'The process that asked has exited; the request can still be answered.',
    data: { requestId: ID.permission, reason: 'The daemon was restarted.' },
  },
  'request.revived': {
    meaning: 'The agent repeated the same call, which now owns the request and its answer.',
    data: { requestId: ID.permission, toolUseId: ID.tool },
  },
  'request.lapsed': {
    meaning: 'The agent did not repeat the call, so the answer was not used.',
    data: { requestId: ID.permission, reason: 'The agent did not make the call again.' },
  },
  'request.held': {
    meaning:
      'A hook in the terminal waits, so the request can be answered in the dashboard, the CLI or the API.',
    data: { requestId: ID.permission },
  },
  'request.released': {
    meaning: 'The hook no longer waits; the request can be answered only in the terminal.',
    data: { requestId: ID.permission },
  },
  'grant.revoked': {
    meaning: 'A grant of the session was revoked; such calls need permission again.',
    data: { tool: 'Bash', command: 'npm test -- login', by: KIM },
  },
  'context.compacted': {
    meaning: 'The conversation was summarised to free context.',
    data: { trigger: 'auto', preTokens: 155_000, postTokens: 12_000, durationMs: 21_000 },
  },
  'files.rewound': {
    meaning: 'Files were restored to their state before a message.',
    data: { by: KIM, messageId: ID.message, files: [`${CWD}/src/login.ts`], insertions: 3, deletions: 12 },
  },
  'changes.recorded': {
    meaning:
      'Calls changed files of the workspace; both states are kept, so that the change can be shown and undone.',
    data: {
      changeId: ID.change,
      before: BEFORE,
      after: AFTER,
      files: [CHANGED_FILE],
      totals: TOTALS,
      source: 'call',
      turnId: ID.turn,
      toolUseIds: [ID.tool],
    },
  },
  'changes.undone': {
    meaning: 'A user undid changes; the undo is a change of its own and can be undone, too.',
    data: {
      changeId: ID.undo,
      before: AFTER,
      after: BEFORE,
      files: [{ ...CHANGED_FILE, insertions: 1, deletions: 3 }],
      totals: { files: 1, insertions: 1, deletions: 3 },
      undone: [ID.change],
      by: KIM,
    },
  },
  'changes.overlapped': {
    meaning: 'Another session that has not ended changed the same files.',
    data: { sessionId: ID.session, files: ['src/login.ts'] },
  },
  'comments.sent': {
    meaning: 'A user commented on lines of a diff; the agent gets the comments with a message.',
    data: { messageId: ID.message, comments: [COMMENT], by: KIM },
  },
  'usage.recorded': {
    meaning: 'Tokens that no end of a turn reports, such as those of a terminal.',
    data: {
      turnId: null,
      models: { 'claude-sonnet-4-5': { ...USAGE, costUsd: 0.012, contextWindow: null } },
    },
  },
  'notice.raised': {
    meaning: 'Something worth knowing happened: a retry, a rate limit, a line on stderr.',
    data: {
      level: 'warning',
      topic: 'rate_limit',
      text: 'The API limits requests.',
      details: { resetsAt: AT },
    },
  },
  'notification.delivered': {
    meaning: 'A user was notified about this session; `receipt` is the id that the service returned.',
    data: { ...aNotification, attempts: 1, receipt: 'm7Kd2' },
  },
  'notification.failed': {
    meaning: 'A notification could not be sent; it is tried again at `nextTryAt`, or given up.',
    data: { ...aNotification, attempts: 2, error: 'ntfy.example.com answered 503.', nextTryAt: AT },
  },
  'notification.expired': {
    meaning: 'A notification could not be sent in time.',
    data: { ...aNotification, attempts: 9 },
  },
  'sdk.message': {
    meaning: 'A message of the SDK that has no event of its own, kept unchanged.',
    data: { message: { type: 'system', subtype: 'new_in_a_later_version' } },
  },
  'error.raised': {
    meaning: 'Something failed; the codes are those of errors.md.',
    data: { code: 'workspace_not_found', message: 'The folder /home/kim/gone does not exist.' },
  },
}

export const deltaExamples: { readonly [Type in DeltaType]: EventExample<DeltaData<Type>> } = {
  'text.delta': {
    meaning: 'A piece of a block of text.',
    data: { ...block, offset: 9, text: 'passes now.' },
  },
  'thinking.delta': {
    meaning: 'A piece of a block of thinking.',
    data: { ...block, offset: 0, text: 'The test fails because' },
  },
  'tool.input.delta': {
    meaning: 'A piece of the input of a tool call, as JSON text.',
    data: { toolUseId: ID.tool, name: 'Bash', offset: 0, text: '{"command":"npm te' },
  },
}
