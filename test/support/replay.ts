/** Recorded situations through the translation, with the parts that the gate and the inbox would play. */

import { idOfUuid } from '../../src/lib/id.js'
import type { EventDraft } from '../../src/protocol/event/event.js'
import type { Question } from '../../src/protocol/value.js'
import {
  type Emission,
  newTranslationState,
  type TranslationState,
} from '../../src/session/translate/state.js'
import { type SessionInput, translate } from '../../src/session/translate/translate.js'
import { permissionRequested, permissionResolved } from './build.js'
import { type RecordedLine, readRecording } from './fixtures.js'

const translationDeps = { now: 1_000, newTurnId: () => 'trn_01234567890123456789abcdef' }

interface Replayed {
  state: TranslationState
  output: Emission[]
}

export function run(inputs: readonly SessionInput[], start = newTranslationState()): Replayed {
  let state = start
  const output: Emission[] = []
  for (const input of inputs) {
    const step = translate(state, input, translationDeps)
    state = step.state
    output.push(...step.output)
  }
  return { state, output }
}

export function replay(name: string): Replayed {
  const inputs = inputsOf(name)
  return run(readRecording(name).flatMap((line) => inputs(line)))
}

/** The whole log of a situation, including the requests to the user. */
export function replayLog(name: string): Emission[] {
  const inputs = inputsOf(name)
  const calls = new Map<string, { toolName: string; input: unknown }>()
  let state = newTranslationState()
  return readRecording(name).flatMap((line) => {
    if (line.from === 'PreToolUse')
      calls.set(line.tool_use_id, { toolName: line.tool_name, input: line.tool_input })
    const step = run(inputs(line), state)
    state = step.state
    const call = line.from === 'canUseTool' || line.from === 'answer' ? calls.get(line.toolUseID) : undefined
    if (!call || !('toolUseID' in line)) return step.output
    const asked = { toolUseId: line.toolUseID, ...call }
    return line.from === 'canUseTool' ? [...step.output, requested(asked)] : [resolved(asked), ...step.output]
  })
}

interface Asked {
  toolUseId: string
  toolName: string
  input: unknown
}

const isQuestion = ({ toolName }: Asked) => toolName === 'AskUserQuestion'

function requested(asked: Asked): EventDraft {
  if (!isQuestion(asked)) return permissionRequested(`per_${asked.toolUseId}`, asked)
  const { questions } = asked.input as { questions: Question[] }
  return {
    type: 'question.requested',
    data: { requestId: `que_${asked.toolUseId}`, inputDigest: 'digest', questions, ...asked },
  }
}

function resolved(asked: Asked): EventDraft {
  if (!isQuestion(asked)) return permissionResolved(`per_${asked.toolUseId}`)
  const nobody = { by: 'person', who: 'kim', via: 'api', reason: null } as const
  return {
    type: 'question.resolved',
    data: { requestId: `que_${asked.toolUseId}`, answers: {}, ...nobody },
  }
}

/** The inputs of a session for a line of a recording. */
function inputsOf(name: string): (line: RecordedLine) => SessionInput[] {
  const calls = new Map<string, { name: string; input: unknown; agentId?: string }>()
  return (line) => {
    if (line.from === 'sdk') return [...sentBy(line.message), { kind: 'sdk', message: line.message }]
    if (line.from === 'error') return [{ kind: 'closed', stopReason: 'crashed', errors: [line.message] }]
    if (line.from === 'PreToolUse') {
      const { tool_use_id: toolUseId, tool_name, tool_input: input, agent_id: agentId } = line
      const call = { name: tool_name, input, ...(agentId !== undefined && { agentId }) }
      calls.set(toolUseId, call)
      const isDenied = name === 'tool-denied-by-hook'
      return isDenied
        ? [
            {
              kind: 'judged',
              judgement: { toolUseId, ...call, decision: 'deny', by: 'policy', reason: 'Protected file' },
            },
          ]
        : []
    }
    const call = calls.get(line.toolUseID)
    // A request that was aborted by an interrupt is withdrawn, not judged.
    if (line.from !== 'answer' || !call || name === 'interrupted-in-permission') return []
    const judgement = { toolUseId: line.toolUseID, ...call, decision: line.behavior, by: 'person: kim' }
    return [{ kind: 'judged', judgement }]
  }
}

/** The CLI reports a message as queued when it has received it: it was sent before. */
function sentBy(message: Record<string, unknown>): SessionInput[] {
  const messageId = idOfUuid('msg', String(message['command_uuid']))
  return message['state'] === 'queued' && messageId ? [{ kind: 'sent', messageId }] : []
}
