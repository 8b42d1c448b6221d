export { printable } from '../lib/text/printable.js'
export { AgentConfig, AgentLimits } from './agent.js'
export {
  ChangeSession,
  CompactSession,
  CreateSession,
  EditMessage,
  ForkSession,
  Inspection,
  McpChange,
  ResumeSession,
  RewindSession,
  Rewound,
  SendMessage,
  StopSession,
} from './api-body.js'
export { AuditEntry, AuditKind, AuditRecord } from './audit.js'
export { type ChangedFile, type ChangeTotals, SnapshotRef } from './change/change.js'
export { Comment } from './change/comment.js'
export {
  Change,
  ChangedPicture,
  Diff,
  DiffFile,
  DiffHunk,
  Recording,
  SentComment,
  UndoChanges,
  UndoConflict,
  UndoResult,
} from './change/diff.js'
export { patchOf, patchText } from './change/patch-text.js'
export { PROMPT_NAME } from './choice.js'
export { OfferedCommand, OfferedModel } from './compose/offer.js'
export { SavedPrompt } from './compose/prompt.js'
export { FileMatches, FolderListing, ListedFolder, RecentFolder } from './compose/workspace-file.js'
export { Partial, Request } from './deprecated.js'
export { type ErrorCode, HubError } from './error.js'
export { ErrorBody } from './error-schema.js'
export { isDelta } from './event/delta.js'
export {
  type DataOf,
  type Delta,
  DeltaDraft,
  type DeltaType,
  deltaTypes,
  EventDraft,
  EventEnvelope,
  type EventOf,
  type EventType,
  eventTypes,
  type SessionEvent,
} from './event/event.js'
export { Decision, Grant } from './event/request-event.js'
export {
  Activity,
  Condition,
  ConditionDetail,
  Conversation,
  ProcessState,
  SessionKind,
  SessionState,
} from './event/session-event.js'
export {
  Form,
  type FormContent,
  type FormProblem,
  FormReply,
  problemOfField,
  problemsOfForm,
} from './form/form.js'
export { type FormField, formFields, readFormValue } from './form/form-field.js'
export { EventId, MessageId, RequestId, SessionId, TokenId, TurnId } from './id.js'
export {
  Channel,
  ChannelHealth,
  ChannelKind,
  ChannelSettings,
  CreateChannel,
} from './notification/channel.js'
export { Notification, NotificationState } from './notification/notification.js'
export { ChannelName, NotificationKind, QuietHours } from './notification/notification-kind.js'
export { PushPayload, PushState, SubscribePush } from './notification/push.js'
export { NotificationSettings } from './notification/settings.js'
export { AnswerByToken, AnswerView, LookAnswer } from './notification/token-answer.js'
export { Language, May, User, UserName, UserSettings } from './notification/user.js'
export { Effort, McpServer, McpServers, SessionOptions } from './option/option.js'
export { type GrantScope, grantScope, grantText } from './policy/grant-text.js'
export { Policy, PolicyRule, Preset, Severity, Verdict } from './policy/policy.js'
export {
  Backtest,
  BacktestPolicy,
  EvaluateCall,
  Explanation,
  PolicyFile,
  PolicyInForce,
  PreviewRule,
  ProposeRule,
  RevokeGrant,
  RulePreview,
  RuleProposal,
  RuleScope,
  SuggestedRule,
} from './policy/policy-body.js'
export type { ReasonPart } from './reason/reason-part.js'
export type { ReasonCode } from './reason/template.js'
export { Answer, FormAnswer, InboxRequest, PermissionAnswer, QuestionAnswer, Resolution } from './request.js'
export { Role } from './role.js'
export { isAtLeast } from './role-rank.js'
export {
  About,
  type Route,
  type RouteName,
  type RouteReply,
  type RouteRequest,
  routes,
  Workspace,
} from './route.js'
export type { RunnerCommand } from './runner-command.js'
export { SearchResult } from './search.js'
export { QueuedMessage, Session, StreamingBlock } from './session.js'
export { HookStatus, isInOrder } from './terminal/hook-status.js'
export { TerminalSession, TerminalSkill } from './terminal/terminal-session.js'
export { CreateToken, Token } from './token.js'
export { ToolAnnotations, ToolInfo } from './tool.js'
export { UsageBy, UsageRow, UsageShare, UsageSource, UsageSplit } from './usage/usage.js'
export {
  Actor,
  Answers,
  Completion,
  ContentBlock,
  DecidedBy,
  ModelUsage,
  Notes,
  Outcome,
  PermissionMode,
  Phase,
  Question,
  StopReason,
  TurnOrigin,
  Usage,
  WhenBusy,
} from './value.js'
export { describeCall } from './view/describe.js'
export { nameFromPrompt, sessionName } from './view/session-name.js'
export { type Stage, TOOL_LIFE_EVENTS, type ToolLife, timeIn, toolLives } from './view/tool-life.js'
export {
  type AgentItem,
  emptyTranscript,
  extendTranscript,
  itemIdOf,
  type Transcript,
  type TranscriptItem,
} from './view/transcript.js'
export { applyEvent, applyEvents } from './view/view.js'
export { ClientMessage, clientMessages, ServerMessage, WEB_SOCKET_PATH } from './web-socket.js'
export { ChangeWorktree, NewWorktree, Worktree, WorktreeResult, WorktreeStatus } from './worktree/worktree.js'
