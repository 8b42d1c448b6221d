/** Status messages of the CLI: start, mode, tasks, hooks, compaction, retries. */

import { asCount, asList, asRecord, asText, asTexts, type Loose } from '../../lib/read-json.js'
import { quoteNotice, raiseNotice } from '../../protocol/event/notice.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'
import { PermissionMode } from '../../protocol/value.js'
import { claudeMode } from '../claude/mode.js'
import { translateRetry } from './model-condition.js'
import { ensureTurn, setActivity, type Translation } from './state.js'
import { endTask, progressTask, startTask, updateTask } from './task.js'
import { refuseTool } from './tool.js'

export function translateSystem(to: Translation, message: Loose): void {
  const subtype = asText(message['subtype']) ?? ''
  const translate = SUBTYPES[subtype]
  if (translate) translate(to, message)
  else if (!SAID_ELSEWHERE.has(subtype)) to.emit({ type: 'sdk.message', data: { message } })
}

/** These repeat what other messages say. */
const SAID_ELSEWHERE = new Set([
  'session_state_changed',
  'thinking_tokens',
  'control_request_progress',
  'background_tasks_changed',
])

const SUBTYPES: Readonly<Record<string, (to: Translation, message: Loose) => void>> = {
  init: translateInit,
  status: translateStatus,
  task_started: startTask,
  task_progress: progressTask,
  task_notification: endTask,
  task_updated: updateTask,
  hook_started: translateHookStarted,
  hook_response: translateHookEnded,
  compact_boundary(to, message) {
    const metadata = asRecord(message['compact_metadata'])
    to.state.contextTokens = asCount(metadata['post_tokens'])
    to.emit({
      type: 'context.compacted',
      data: {
        trigger: asText(metadata['trigger']) ?? 'unknown',
        preTokens: asCount(metadata['pre_tokens']),
        postTokens: asCount(metadata['post_tokens']),
        durationMs: asCount(metadata['duration_ms']),
      },
    })
  },
  session_title_changed(to, message) {
    const summary = asText(message['title'])
    if (summary) to.emit({ type: 'session.changed', data: { summary } })
  },
  local_command_output(to, message) {
    const data = {
      messageId: asText(message['uuid']) ?? '',
      index: 0,
      text: asText(message['content']) ?? '',
    }
    to.emit({ type: 'text.ended', data })
  },
  plugin_install(to, message) {
    const name = asText(message['name']) ?? 'a plugin'
    const isFailed = message['status'] === 'failed'
    const params = { name, status: asText(message['status']) ?? '' }
    const why = isFailed ? reason('notice.plugin-failed', params) : reason('notice.plugin', params)
    raise(to, isFailed ? 'warning' : 'info', 'plugin', message, why)
  },
  permission_denied(to, message) {
    refuseTool(to, asText(message['tool_use_id']) ?? '', 'claude')
    raise(to, 'warning', 'permission', message, asText(message['message']) ?? reason('notice.call-refused'))
  },
  api_retry: translateRetry,
  informational(to, message) {
    const level = message['level'] === 'warning' ? 'warning' : 'info'
    raise(to, level, asText(message['tag']) ?? 'claude', message, asText(message['content']) ?? '')
  },
  notification(to, message) {
    raise(to, 'info', asText(message['key']) ?? 'claude', message, asText(message['text']) ?? '')
  },
  model_fallback: (to, message) =>
    raise(to, 'warning', 'model', message, asText(message['content']) ?? reason('notice.model-changed')),
  model_refusal_fallback: (to, message) =>
    raise(to, 'warning', 'model', message, asText(message['content']) ?? reason('notice.model-other')),
  mirror_error: (to, message) => raise(to, 'error', 'store', message, reason('notice.copy-failed')),
  session_writes_lost: (to, message) =>
    raise(to, 'error', 'transcript', message, reason('notice.record-failed')),
  worker_shutting_down: (to, message) =>
    raise(to, 'warning', 'claude', message, reason('notice.shutting-down')),
  model_refusal_no_fallback: (to, message) =>
    raise(to, 'warning', 'model', message, reason('notice.model-refused')),
}

function raise(
  to: Translation,
  level: 'info' | 'warning' | 'error',
  topic: string,
  message: Loose,
  /** A text of Claude Code has no code. */
  said: string | Reason,
): void {
  const details = Object.fromEntries(Object.entries(message).filter(([key]) => !NOT_A_DETAIL.has(key)))
  const notice =
    typeof said === 'string'
      ? quoteNotice(level, topic, said, details)
      : raiseNotice(level, topic, said, details)
  to.emit(notice)
}

const NOT_A_DETAIL = new Set(['type', 'subtype', 'uuid', 'session_id', 'content', 'text', 'message'])

/** Comes with every turn, also those that a task started. */
function translateInit(to: Translation, message: Loose): void {
  const data = {
    claudeSessionId: asText(message['session_id']) ?? '',
    model: asText(message['model']) ?? '',
    permissionMode: readMode(to, message['permissionMode']),
    cwd: asText(message['cwd']) ?? '',
    tools: asTexts(message['tools']),
    mcpServers: asList(message['mcp_servers'])
      .map(asRecord)
      .map(({ name, status }) => ({ name: asText(name) ?? '', status: asText(status) ?? '' })),
    commands: asTexts(message['slash_commands']),
    skills: asTexts(message['skills']),
    agents: asTexts(message['agents']),
    claudeVersion: asText(message['claude_code_version']),
  }
  const text = JSON.stringify(data)
  if (text !== to.state.started) {
    to.state.started = text
    to.emit({ type: 'session.started', data })
  }
  ensureTurn(to, [], to.state.wakeUp ?? { kind: 'unknown' })
}

function translateStatus(to: Translation, message: Loose): void {
  if (message['permissionMode'] !== undefined) {
    const before = to.state.mode
    const permissionMode = readMode(to, message['permissionMode'])
    if (permissionMode !== before) to.emit({ type: 'session.changed', data: { permissionMode } })
  } else if (message['status'] === 'requesting') setActivity(to, 'thinking')
  else if (message['status'] !== null) to.emit({ type: 'sdk.message', data: { message } })
}

/** The session's mode: the CLI's own, unless that only stands in for ours. */
function readMode(to: Translation, value: unknown): PermissionMode {
  const mode = PermissionMode.safeParse(value)
  if (mode.success && mode.data !== claudeMode(to.state.mode)) to.state.mode = mode.data
  return to.state.mode
}

function translateHookStarted(to: Translation, message: Loose): void {
  to.emit({
    type: 'hook.started',
    data: {
      hookId: asText(message['hook_id']) ?? '',
      command: asText(message['hook_name']) ?? '',
      event: asText(message['hook_event']) ?? '',
    },
  })
}

function translateHookEnded(to: Translation, message: Loose): void {
  const exitCode = asCount(message['exit_code'])
  const output = [message['stdout'], message['stderr']].map((text) => asText(text) ?? '').join('')
  to.emit({
    type: 'hook.ended',
    data: {
      hookId: asText(message['hook_id']) ?? '',
      exitCode,
      outcome: exitCode === 0 ? 'passed' : exitCode === 2 ? 'blocked' : 'broken',
      ...(output !== '' && { message: output }),
      durationMs: null,
    },
  })
}
