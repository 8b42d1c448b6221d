/** The life of a tool call: requested, judged, started, ended. Each once, in this order, whichever source reports first. */

import { digest } from '../../lib/digest.js'
import { asList, asRecord, asText, type Loose } from '../../lib/read-json.js'
import { textOfResult } from '../../lib/text/result-text.js'
import type { SnapshotRef } from '../../protocol/change/change.js'
import type { ToolOutcome } from '../../protocol/event/content-event.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import { describeCall } from '../../protocol/view/describe.js'
import { skillOf, skillOutcomeOf } from './skill.js'
import type { AgentRef, OpenTool, Translation } from './state.js'
import { setActivity } from './state.js'

export interface ToolCall extends AgentRef {
  toolUseId: string
  name: string
  input: unknown
  /** Claude's id of the message that makes the call. */
  uuid?: string
}

/** The gate often knows of a call before its message is read; the first of them records it. */
export function requestTool(to: Translation, call: ToolCall): OpenTool {
  const known = to.state.tools[call.toolUseId]
  if (known) return known
  const { toolUseId, name, agentId, parentToolUseId } = call
  const tool = { name, startedAt: null, refusedBy: null, ...agentRefOf({ agentId, parentToolUseId }) }
  to.state.tools = { ...to.state.tools, [toolUseId]: tool }
  to.state.hasSchedule ||= SCHEDULERS.has(name)
  const uuid = call.uuid === undefined ? {} : { uuid: call.uuid }
  to.emit({
    type: 'tool.requested',
    data: { toolUseId, name, input: call.input, ...uuid, ...agentRefOf(call) },
  })
  if (!parentToolUseId && !agentId) {
    to.state.block = null
    setActivity(to, 'tool')
  }
  return tool
}

const SCHEDULERS = new Set(['CronCreate', 'ScheduleWakeup', 'Monitor'])

export interface Judgement extends ToolCall {
  /** `block`: a command hook has refused it. */
  decision: 'allow' | 'deny' | 'block'
  by: string
  /** In words: why. */
  reason?: string
  /** The same as codes and parameters. */
  reasonParts?: ReasonPart[]
  /** The input that the tool runs with, where it differs from the requested one. */
  startedInput?: unknown
  /** It runs in the read-only jail. */
  jail?: boolean
  /** The state of the workspace before it. */
  snapshot?: SnapshotRef
}

export function judgeTool(to: Translation, judgement: Judgement): void {
  if (to.state.endedTools.includes(judgement.toolUseId)) return
  const tool = requestTool(to, judgement)
  const { toolUseId, decision, by, startedInput, jail, snapshot } = judgement
  // A run of the daemon that ended right behind its verdict leaves the call to the next one, which comes to the same.
  if (decision === 'allow' ? tool.startedAt !== null && tool.by === by : tool.refusedBy === by) return
  if (!/^(person|timeout|terminal)\b/.test(by)) tellJudgement(to, judgement)
  if (decision !== 'allow') {
    const refusedBecause = judgement.reason ?? null
    changeTool(to, toolUseId, { ...tool, refusedBy: by, refusedBecause, isBlocked: decision === 'block' })
  } else if (tool.startedAt === null) {
    const input = startedInput ?? tool.changedInput
    const skill = skillOf({ ...judgement, input: input ?? judgement.input }, to.state.turns || null)
    changeTool(to, toolUseId, { ...tool, startedAt: to.now, by, ...(skill && { skill }) })
    to.emit({
      type: 'tool.started',
      data: {
        toolUseId,
        ...(input !== undefined && { input }),
        by,
        ...(jail && { jail }),
        ...(snapshot && { snapshot }),
      },
    })
    if (skill) to.emit({ type: 'skill.started', data: skill })
  }
}

/** Records a decision that was made without a permission request, which would carry it. */
function tellJudgement(
  to: Translation,
  { toolUseId, name, input, decision, by, reason, reasonParts, agentId, jail }: Judgement,
): void {
  to.emit({
    type: 'tool.judged',
    data: {
      toolUseId,
      name,
      title: describeCall(name, input),
      inputDigest: digest(JSON.stringify(input) ?? ''),
      decision,
      by,
      ...(reason !== undefined && { reason }),
      ...(reasonParts !== undefined && { reasonParts }),
      ...(jail && { jail }),
      ...(agentId !== undefined && { agentId }),
    },
  })
}

/** A command hook has changed the input before a decision. */
export function changeToolInput(to: Translation, toolUseId: string, input: unknown): void {
  const tool = to.state.tools[toolUseId]
  if (tool) changeTool(to, toolUseId, { ...tool, changedInput: input })
}

/** The tool itself has ended, before what hooks still do about it. */
export function noteToolRun(to: Translation, toolUseId: string, durationMs: number): void {
  const tool = to.state.tools[toolUseId]
  if (tool) changeTool(to, toolUseId, { ...tool, ranMs: durationMs })
}

/** A command that was to run in the jail ran without it. */
export function noteUnjailed(to: Translation, toolUseId: string): void {
  const tool = to.state.tools[toolUseId]
  if (tool) changeTool(to, toolUseId, { ...tool, isUnjailed: true })
}

export function refuseTool(to: Translation, toolUseId: string, by: string): void {
  const tool = to.state.tools[toolUseId]
  if (tool && tool.refusedBy === null) changeTool(to, toolUseId, { ...tool, refusedBy: by })
}

function changeTool(to: Translation, toolUseId: string, tool: OpenTool): void {
  to.state.tools = { ...to.state.tools, [toolUseId]: tool }
}

/** A result that the CLI has given to the model. `message` is the whole user message that carries it. */
export function endToolWithResult(to: Translation, block: Loose, message: Loose): void {
  const toolUseId = asText(block['tool_use_id']) ?? ''
  const tool = to.state.tools[toolUseId]
  if (!tool) return
  const isError = block['is_error'] === true
  const text = resultText(block['content'])
  const structured = message['tool_use_result']
  // The structured result belongs to one call; a message with several results does not say to which.
  const result =
    isError || structured === undefined || hasSeveralResults(message) ? block['content'] : structured
  endTool(to, toolUseId, tool, {
    outcome: outcomeOf(tool, isError, nonExecution(message, toolUseId)),
    result,
    // Long outputs are stored once: the text is left out where the result gives the same.
    ...(!isError && text !== '' && text !== textOfResult(result) && { text }),
    // The CLI wraps a refusal in words of its own: users get the reason itself.
    ...(isError && { error: tool.refusedBecause || text }),
  })
}

function outcomeOf(tool: OpenTool, isError: boolean, notRunBecause: string | null): ToolOutcome {
  if (tool.refusedBy !== null) return refusalOf(tool)
  if (notRunBecause === 'user-rejected') return 'cancelled'
  if (notRunBecause !== null) return 'denied'
  return isError ? 'failed' : 'completed'
}

function refusalOf(tool: OpenTool): ToolOutcome {
  return tool.isBlocked ? 'blocked' : 'denied'
}

/** Why a call did not run, or not to its end, in the CLI's own word. */
function nonExecution(message: Loose, toolUseId: string): string | null {
  const meta = asList(message['tool_result_meta']).map(asRecord)
  return asText(meta.find((item) => item['id'] === toolUseId)?.['non_execution_kind'])
}

function hasSeveralResults(message: Loose): boolean {
  const content = asList(asRecord(message['message'])['content'])
  return content.filter((block) => asRecord(block)['type'] === 'tool_result').length > 1
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((block) => asText(asRecord(block)['text']) ?? '')
    .join('\n')
}

interface ToolEnd {
  outcome: ToolOutcome
  result?: unknown
  text?: string
  error?: string
}

const MAX_ENDED = 100

function endTool(to: Translation, toolUseId: string, tool: OpenTool, end: ToolEnd): void {
  const { [toolUseId]: _, ...tools } = to.state.tools
  to.state.tools = tools
  to.state.endedTools = [...to.state.endedTools, toolUseId].slice(-MAX_ENDED)
  const by = enderOf(tool, end.outcome)
  const durationMs = tool.startedAt === null ? null : (tool.ranMs ?? Math.max(0, to.now - tool.startedAt))
  if (tool.skill) {
    const outcome = skillOutcomeOf(end.outcome)
    to.emit({ type: 'skill.ended', data: { ...tool.skill, outcome, durationMs } })
  }
  to.emit({
    type: 'tool.ended',
    data: {
      toolUseId,
      name: tool.name,
      ...end,
      durationMs,
      ...(by !== null && { by }),
      ...(tool.isUnjailed && { jail: false }),
      ...agentRefOf(tool),
    },
  })
}

function enderOf({ refusedBy }: OpenTool, outcome: ToolOutcome): string | null {
  if (outcome === 'denied' || outcome === 'blocked') return refusedBy ?? 'claude'
  return outcome === 'cancelled' ? 'interrupt' : null
}

/** Ends what cannot end any more: the turn or the process is gone. */
export function cancelTools(to: Translation, which: (tool: OpenTool) => boolean): void {
  for (const [toolUseId, tool] of Object.entries(to.state.tools)) {
    if (!which(tool)) continue
    const { refusedBy, refusedBecause } = tool
    // A refusal that ends the turn has no result of the CLI that would give its reason.
    endTool(to, toolUseId, tool, {
      outcome: refusedBy === null ? 'cancelled' : refusalOf(tool),
      ...(refusedBy !== null && refusedBecause && { error: refusedBecause }),
    })
  }
}

function agentRefOf({ agentId, parentToolUseId }: AgentRef): AgentRef {
  return {
    ...(agentId !== undefined && { agentId }),
    ...(parentToolUseId !== undefined && { parentToolUseId }),
  }
}
