/** Tool calls of a transcript, with their results, and the skills and subagents that they start. */

import { asList, asRecord, asText, type Loose } from '../../lib/read-json.js'
import { textOfResult } from '../../lib/text/result-text.js'
import { cutText } from '../../lib/text/truncate.js'
import type { ToolOutcome } from '../../protocol/event/content-event.js'
import { bounded, idOf } from './line.js'
import type { OpenCall, Translation } from './state.js'
import { endAgent, startAgent } from './to-figure-events.js'

const REJECTED = 'User rejected tool use'
const MAX_CALLS = 1_000
/** Of texts that are kept in the state while a call runs: the state is stored with each batch. */
const MAX_KEPT_TEXT = 2_000

interface CallPlace {
  readonly uuid: string | null
  readonly speaker: Translation['speaker']
  readonly at: number
}

export function requestCall(to: Translation, block: Loose, { uuid, speaker, at }: CallPlace): void {
  const { file, conversation, emit } = to
  const toolUseId = idOf(block['id'])
  if (toolUseId === null || file.calls.some(([id]) => id === toolUseId) || file.calls.length >= MAX_CALLS)
    return
  const name = cutText(asText(block['name']) ?? 'unknown', MAX_KEPT_TEXT)
  const input = bounded(block['input'])
  const data = { toolUseId, name, input, ...(uuid !== null && { uuid }), ...speaker }
  emit({ type: 'tool.requested', data }, at)
  // Hooks report skills themselves.
  const skill = conversation.isHooked || name !== 'Skill' ? null : skillOf(asRecord(input))
  const agent = agentOf(name, asRecord(input))
  file.calls.push([toolUseId, { name, at, agentId: speaker.agentId, ...(skill && { skill }), ...agent }])
  if (skill) emit({ type: 'skill.started', data: skillData(toolUseId, skill) }, at)
}

function agentOf(name: string, input: Loose): Pick<OpenCall, 'agent'> {
  if (name !== 'Agent' && name !== 'Task') return {}
  const [agentType, description] = [asText(input['subagent_type']), asText(input['description'])].map(
    (text) => (text === null ? null : cutText(text, MAX_KEPT_TEXT)),
  )
  return { agent: { agentType: agentType ?? null, description: description ?? null } }
}

function skillOf({ skill, args }: Loose): OpenCall['skill'] | null {
  const skillName = cutText((asText(skill) ?? '').replace(/^\//, ''), MAX_KEPT_TEXT)
  if (skillName === '') return null
  const words = cutText(asText(args) ?? '', MAX_KEPT_TEXT)
  return { skillName, triggerCommand: words === '' ? `/${skillName}` : `/${skillName} ${words}` }
}

function skillData(toolUseId: string, skill: NonNullable<OpenCall['skill']>) {
  return { ...skill, turnSeq: null, targetDocPath: null, startedBy: 'model' as const, toolUseId }
}

interface ResultPlace {
  /** The structured result belongs to one call: a line with several does not say to which. */
  readonly isOnly: boolean
  readonly at: number
}

export function endCall(to: Translation, block: Loose, line: Loose, { isOnly, at }: ResultPlace): void {
  const toolUseId = idOf(block['tool_use_id'])
  const call = toolUseId === null ? undefined : takeCall(to, toolUseId)
  if (toolUseId === null || !call) return
  const structured = line['toolUseResult']
  const isError = block['is_error'] === true
  const content = bounded(block['content'])
  const isStructured = !isError && isOnly && typeof structured === 'object' && structured !== null
  const result = isStructured ? bounded(structured) : content
  const text = textIn(content)
  noteAgent(to, toolUseId, call, { content, ...asRecord(structured) }, at)
  endAs(to, toolUseId, call, {
    outcome: outcomeOf(line, isError),
    result,
    ...(!isError && text !== '' && text !== textOfResult(result) && { text }),
    ...(isError && { error: text }),
    at,
  })
}

/** The result of a call that has started a subagent. The lines of the subagent may come later. */
function noteAgent(to: Translation, toolUseId: string, { agent }: OpenCall, answer: Loose, at: number): void {
  const agentId = idOf(answer['agentId'])
  if (agentId === null || !agent) return
  const isBackground = answer['isAsync'] === true
  startAgent(to, agentId, { ...agent, toolUseId, isBackground }, at)
  if (answer['status'] === 'completed')
    endAgent(to, agentId, 'completed', at, textIn(bounded(answer['content'])))
}

function outcomeOf(line: Loose, isError: boolean): ToolOutcome {
  if (line['toolUseResult'] === REJECTED) return 'denied'
  const { decision } = asRecord(line['permissionDecision'])
  if (isError && (decision === 'reject' || decision === 'deny')) return 'denied'
  return isError ? 'failed' : 'completed'
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((block) => asText(asRecord(block)['text']) ?? '')
    .join('\n')
}

export function takeCall({ file }: Pick<Translation, 'file'>, toolUseId: string): OpenCall | undefined {
  const index = file.calls.findIndex(([id]) => id === toolUseId)
  return index < 0 ? undefined : file.calls.splice(index, 1)[0]?.[1]
}

interface CallEnd {
  readonly outcome: ToolOutcome
  readonly result?: unknown
  readonly text?: string
  readonly error?: string
  readonly at: number
}

export function endAs({ emit, speaker }: Translation, toolUseId: string, call: OpenCall, end: CallEnd): void {
  const { at, ...rest } = end
  // Between the line of the call and that of its result: it includes the wait for an answer.
  const durationMs = end.outcome === 'cancelled' ? null : Math.max(0, at - call.at)
  if (call.skill) {
    const outcome = end.outcome === 'completed' ? 'completed' : 'failed'
    emit({ type: 'skill.ended', data: { ...skillData(toolUseId, call.skill), outcome, durationMs } }, at)
  }
  const who =
    speaker.agentId === undefined && call.agentId !== undefined ? { agentId: call.agentId } : speaker
  emit({ type: 'tool.ended', data: { toolUseId, name: call.name, ...rest, durationMs, ...who } }, at)
}

/** Calls that cannot end any more. */
export function cancelCalls(to: Translation, at: number): void {
  for (const [toolUseId, call] of to.file.calls.splice(0))
    endAs(to, toolUseId, call, { outcome: 'cancelled', at })
}
