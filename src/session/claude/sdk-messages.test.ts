/** Every message that the SDK's own types know becomes an event, or is known to repeat what others say. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type {
  SDKAPIRetryMessage,
  SDKAuthStatusMessage,
  SDKCompactBoundaryMessage,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKPermissionDeniedMessage,
  SDKTaskNotificationMessage,
  SDKTaskStartedMessage,
  SDKToolProgressMessage,
} from '@anthropic-ai/claude-agent-sdk'
import { expect, test } from 'vitest'
import { DeltaDraft, EventDraft } from '../../protocol/event/event.js'
import { newTranslationState } from '../translate/state.js'
import { translate } from '../translate/translate.js'

const uuid = '00000000-0000-4000-8000-000000000001' as const
const common = { uuid, session_id: 's1' } as const
const system = { type: 'system', ...common } as const
const nothing: readonly string[] = []

/** For each member of the union: a message of it, and the events that it becomes. */
const SAMPLES: Readonly<Record<string, { message: object; becomes: readonly string[] }>> = {
  SDKAssistantMessage: {
    message: {
      type: 'assistant',
      ...common,
      parent_tool_use_id: null,
      message: { id: 'm1', content: [{ type: 'text', text: 'Hi' }] },
    },
    becomes: ['text.ended'],
  },
  SDKUserMessage: {
    message: {
      type: 'user',
      ...common,
      parent_tool_use_id: null,
      message: { role: 'user', content: [{ type: 'text', text: 'note' }] },
    },
    becomes: ['sdk.message'],
  },
  SDKUserMessageReplay: {
    message: {
      type: 'user',
      ...common,
      parent_tool_use_id: null,
      isReplay: true,
      message: { role: 'user', content: 'again' },
    },
    becomes: nothing,
  },
  SDKResultMessage: {
    message: {
      type: 'result',
      subtype: 'success',
      ...common,
      is_error: false,
      result: 'Done.',
      num_turns: 1,
    },
    becomes: ['turn.started', 'session.changed', 'turn.ended'],
  },
  SDKSystemMessage: {
    message: {
      ...system,
      subtype: 'init',
      cwd: '/',
      tools: [],
      mcp_servers: [],
      model: 'm',
      permissionMode: 'default',
    },
    becomes: ['session.started', 'turn.started', 'session.changed'],
  },
  SDKPartialAssistantMessage: {
    message: {
      type: 'stream_event',
      ...common,
      event: {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'Read' },
      },
    },
    becomes: ['session.changed'],
  },
  SDKCompactBoundaryMessage: {
    message: {
      ...system,
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 5 },
    } satisfies Partial<SDKCompactBoundaryMessage>,
    becomes: ['context.compacted'],
  },
  SDKStatusMessage: {
    message: { ...system, subtype: 'status', status: 'compacting' },
    becomes: ['sdk.message'],
  },
  SDKAPIRetryMessage: {
    message: {
      ...system,
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 5,
      error_status: 529,
      error: 'overloaded',
    } satisfies SDKAPIRetryMessage,
    becomes: ['notice.raised'],
  },
  SDKControlRequestProgressMessage: {
    message: { ...system, subtype: 'control_request_progress', request_id: 'r1', status: 'started' },
    becomes: nothing,
  },
  SDKModelRefusalFallbackMessage: {
    message: {
      ...system,
      subtype: 'model_refusal_fallback',
      content: 'Another model.',
      original_model: 'a',
      fallback_model: 'b',
    },
    becomes: ['notice.raised'],
  },
  SDKModelRefusalNoFallbackMessage: {
    message: { ...system, subtype: 'model_refusal_no_fallback', original_model: 'a', content: '' },
    becomes: ['notice.raised'],
  },
  SDKLocalCommandOutputMessage: {
    message: { ...system, subtype: 'local_command_output', content: '12 % used' },
    becomes: ['text.ended'],
  },
  SDKHookStartedMessage: {
    message: {
      ...system,
      subtype: 'hook_started',
      hook_id: 'h1',
      hook_name: 'Stop',
      hook_event: 'Stop',
    } satisfies SDKHookStartedMessage,
    becomes: ['hook.started'],
  },
  SDKHookProgressMessage: {
    message: {
      ...system,
      subtype: 'hook_progress',
      hook_id: 'h1',
      hook_name: 'Stop',
      hook_event: 'Stop',
      stdout: 'a',
      stderr: '',
      output: 'a',
    } satisfies SDKHookProgressMessage,
    becomes: ['sdk.message'],
  },
  SDKHookResponseMessage: {
    message: {
      ...system,
      subtype: 'hook_response',
      hook_id: 'h1',
      hook_name: 'Stop',
      hook_event: 'Stop',
      stdout: 'a',
      stderr: '',
      output: 'a',
      exit_code: 0,
      outcome: 'success',
    } satisfies SDKHookResponseMessage,
    becomes: ['hook.ended'],
  },
  SDKPluginInstallMessage: {
    message: { ...system, subtype: 'plugin_install', status: 'failed', name: 'p' },
    becomes: ['notice.raised'],
  },
  SDKToolProgressMessage: {
    message: {
      type: 'tool_progress',
      ...common,
      tool_use_id: 't1',
      tool_name: 'Bash',
      parent_tool_use_id: null,
      elapsed_time_seconds: 3,
    } satisfies SDKToolProgressMessage,
    becomes: ['tool.progressed'],
  },
  SDKAuthStatusMessage: {
    message: {
      type: 'auth_status',
      ...common,
      isAuthenticating: false,
      output: [],
      error: 'expired',
    } satisfies SDKAuthStatusMessage,
    becomes: ['notice.raised'],
  },
  SDKTaskStartedMessage: {
    message: {
      ...system,
      subtype: 'task_started',
      task_id: 'b1',
      description: 'build',
      task_type: 'local_bash',
    } satisfies Partial<SDKTaskStartedMessage>,
    becomes: ['task.started'],
  },
  SDKTaskNotificationMessage: {
    message: {
      ...system,
      subtype: 'task_notification',
      task_id: 'b1',
      status: 'completed',
      summary: 'built',
    } satisfies Partial<SDKTaskNotificationMessage>,
    becomes: ['task.ended'],
  },
  SDKTaskUpdatedMessage: {
    message: { ...system, subtype: 'task_updated', task_id: 'b1', patch: { status: 'running' } },
    becomes: nothing,
  },
  SDKTaskProgressMessage: {
    message: { ...system, subtype: 'task_progress', task_id: 'b1', description: 'half' },
    becomes: ['task.progressed'],
  },
  SDKBackgroundTasksChangedMessage: {
    message: { ...system, subtype: 'background_tasks_changed', tasks: [] },
    becomes: nothing,
  },
  SDKThinkingTokensMessage: {
    message: { ...system, subtype: 'thinking_tokens', estimated_tokens: 4, estimated_tokens_delta: 2 },
    becomes: nothing,
  },
  SDKSessionStateChangedMessage: {
    message: { ...system, subtype: 'session_state_changed', state: 'running' },
    becomes: nothing,
  },
  SDKWorkerShuttingDownMessage: {
    message: { ...system, subtype: 'worker_shutting_down', reason: 'update' },
    becomes: ['notice.raised'],
  },
  SDKCommandsChangedMessage: {
    message: { ...system, subtype: 'commands_changed', commands: [] },
    becomes: ['sdk.message'],
  },
  SDKNotificationMessage: {
    message: { ...system, subtype: 'notification', key: 'k', text: 'Look.', priority: 'low' },
    becomes: ['notice.raised'],
  },
  SDKFilesPersistedEvent: {
    message: { ...system, subtype: 'files_persisted', files: [], failed: [], processed_at: '' },
    becomes: ['sdk.message'],
  },
  SDKToolUseSummaryMessage: {
    message: { type: 'tool_use_summary', ...common, summary: 'Read two files', preceding_tool_use_ids: [] },
    becomes: ['sdk.message'],
  },
  SDKMemoryRecallMessage: {
    message: { ...system, subtype: 'memory_recall', mode: 'select', memories: [] },
    becomes: ['sdk.message'],
  },
  SDKRateLimitEvent: {
    message: {
      type: 'rate_limit_event',
      ...common,
      rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour' },
    },
    becomes: ['session.changed', 'notice.raised'],
  },
  SDKElicitationCompleteMessage: {
    message: { ...system, subtype: 'elicitation_complete', mcp_server_name: 's', elicitation_id: 'e' },
    becomes: ['sdk.message'],
  },
  SDKPermissionDeniedMessage: {
    message: {
      ...system,
      subtype: 'permission_denied',
      tool_name: 'Bash',
      tool_use_id: 't1',
      message: 'No.',
    } satisfies Partial<SDKPermissionDeniedMessage>,
    becomes: ['notice.raised'],
  },
  SDKPromptSuggestionMessage: {
    message: { type: 'prompt_suggestion', ...common, suggestion: 'Run the tests' },
    becomes: ['sdk.message'],
  },
  SDKMirrorErrorMessage: {
    message: { ...system, subtype: 'mirror_error', error: 'full', key: { projectKey: 'p', sessionId: 's' } },
    becomes: ['notice.raised'],
  },
  SDKInformationalMessage: {
    message: { ...system, subtype: 'informational', content: 'Mind the gap.', level: 'warning' },
    becomes: ['notice.raised'],
  },
  SDKConversationResetMessage: {
    message: { type: 'conversation_reset', ...common, new_conversation_id: uuid, trigger: 'clear' },
    becomes: ['session.changed', 'notice.raised'],
  },
  SDKSessionWritesLostMessage: {
    message: { ...system, subtype: 'session_writes_lost', error_code: 'ENOSPC', lost: ['transcript'] },
    becomes: ['notice.raised'],
  },
}

test('every message of the SDK’s types is expected here', () => {
  const path = createRequire(import.meta.url)
    .resolve('@anthropic-ai/claude-agent-sdk')
    .replace(/sdk\.mjs$/, 'sdk.d.ts')
  const union = /export declare type SDKMessage = ([^;]+);/.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
  const names = union.split('|').map((name) => name.trim())
  expect(names.length).toBeGreaterThan(30)
  expect(new Set(Object.keys(SAMPLES))).toEqual(new Set(names))
})

test.each(Object.entries(SAMPLES))('%s', (_, { message, becomes }) => {
  const running = {
    ...newTranslationState(),
    tasks: { b1: { isAgent: false, isBackground: true, toolUseId: null } },
  }
  const isStart = 'subtype' in message && message.subtype === 'task_started'
  const state = isStart ? newTranslationState() : running
  const { output } = translate(
    state,
    { kind: 'sdk', message },
    { now: 0, newTurnId: () => 'trn_01234567890123456789abcdef' },
  )

  expect(output.map(({ type }) => type)).toEqual(becomes)
  for (const item of output) {
    const schema = item.type.endsWith('.delta') ? DeltaDraft : EventDraft
    expect(schema.safeParse(item).error?.issues ?? []).toEqual([])
  }
})
