/** Subagents and background tasks: the CLI calls both tasks, we distinguish them. */

import { asCount, asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { Outcome } from '../../protocol/value.js'
import type { OpenTask, Translation } from './state.js'
import { cancelTools } from './tool.js'

export function startTask(to: Translation, message: Loose): void {
  const taskId = asText(message['task_id']) ?? ''
  const toolUseId = asText(message['tool_use_id'])
  const description = asText(message['description'])
  const isBackground = message['is_backgrounded'] === true
  const isAgent = message['task_type'] === 'local_agent'
  if (to.state.tasks[taskId]) return
  to.state.tasks = { ...to.state.tasks, [taskId]: { isAgent, isBackground, toolUseId } }
  const described = description === null ? {} : { description }
  if (!isAgent) {
    const kind = asText(message['task_type']) ?? 'unknown'
    const ofTool = toolUseId === null ? {} : { toolUseId }
    to.emit({ type: 'task.started', data: { taskId, kind, ...described, ...ofTool, isBackground } })
    return
  }
  const parentAgentId = asText(message['parent_task_id'])
  to.emit({
    type: 'agent.started',
    data: {
      agentId: taskId,
      agentType: asText(message['subagent_type']) ?? 'unknown',
      ...described,
      ...(toolUseId !== null && { parentToolUseId: toolUseId }),
      ...(parentAgentId !== null && { parentAgentId }),
      isBackground,
    },
  })
}

export function progressTask(to: Translation, message: Loose): void {
  const description = asText(message['description'])
  const tokens = asCount(asRecord(message['usage'])['total_tokens'])
  to.emit({
    type: 'task.progressed',
    data: {
      taskId: asText(message['task_id']) ?? '',
      ...(description !== null && { description }),
      ...(tokens !== null && { tokens }),
    },
  })
}

/** A task may go to the background while it runs; its notification reports how it ends. */
export function updateTask(to: Translation, message: Loose): void {
  const taskId = asText(message['task_id']) ?? ''
  const task = to.state.tasks[taskId]
  if (!task || asRecord(message['patch'])['is_backgrounded'] !== true) return
  to.state.tasks = { ...to.state.tasks, [taskId]: { ...task, isBackground: true } }
}

/** A task that ends wakes the agent up, now or after the running turn. */
export function endTask(to: Translation, message: Loose): void {
  const taskId = asText(message['task_id']) ?? ''
  const task = to.state.tasks[taskId]
  if (task)
    close(to, taskId, task, OUTCOMES[asText(message['status']) ?? ''] ?? 'failed', asText(message['summary']))
  to.state.wakeUp = { kind: 'task', name: taskId }
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  completed: 'completed',
  failed: 'failed',
  stopped: 'interrupted',
  killed: 'interrupted',
}

function close(to: Translation, taskId: string, task: OpenTask, outcome: Outcome, text: string | null): void {
  const { [taskId]: _, ...tasks } = to.state.tasks
  to.state.tasks = tasks
  if (task.isAgent) {
    cancelTools(to, (tool) => tool.agentId === taskId)
    to.emit({ type: 'agent.ended', data: { agentId: taskId, outcome, ...(text !== null && { text }) } })
  } else {
    to.emit({ type: 'task.ended', data: { taskId, outcome, ...(text !== null && { summary: text }) } })
  }
}

/** The process is gone, and with it everything that it ran. */
export function interruptTasks(to: Translation): void {
  for (const [taskId, task] of Object.entries(to.state.tasks)) close(to, taskId, task, 'interrupted', null)
}

/** A foreground task is part of its tool call, and the CLI does not always report its end. */
export function endForegroundTask(to: Translation, toolUseId: string): void {
  for (const [taskId, task] of Object.entries(to.state.tasks)) {
    if (task.toolUseId === toolUseId && !task.isBackground) close(to, taskId, task, 'completed', null)
  }
}
