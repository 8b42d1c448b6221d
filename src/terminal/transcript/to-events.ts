/** Translates lines of a transcript into events. Pure but for the state that it is given. */

import { digest } from '../../lib/digest.js'
import { asCount, asList, asRecord, asText, type Loose } from '../../lib/read-json.js'
import { quoteNotice } from '../../protocol/event/notice.js'
import { idOf, type TranscriptLine } from './line.js'
import { isObserved, type Translation } from './state.js'
import { endCall, requestCall } from './to-call-events.js'
import { endAgent, flushUsage, noteUsage } from './to-figure-events.js'
import { closeOwnTurn, readPrompt, reopen } from './to-turn-events.js'

const INTERRUPTED = '[Request interrupted by user'
const NO_BRANCH = 'HEAD'

export function translateLine(to: Translation, line: TranscriptLine): void {
  const { fields, type } = line
  const at = line.at ?? to.conversation.at
  to.conversation.at = at
  noteBranch(to, fields, at)
  switch (type) {
    case 'assistant':
      translateAssistant(to, fields, at)
      break
    case 'user':
      flushUsage(to, at)
      translateUser(to, fields, at)
      break
    case 'system':
      flushUsage(to, at)
      translateSystem(to, fields, at)
      break
    case 'attachment':
      translateQueued(to, asRecord(fields['attachment']), at)
      break
    case 'custom-title':
    case 'ai-title':
    case 'summary':
      noteTitle(to, fields, at)
      break
    default:
  }
}

function noteBranch({ known, emit, speaker }: Translation, fields: Loose, at: number): void {
  const branch = asText(fields['gitBranch'])
  if (speaker.agentId !== undefined || branch === null || branch === '' || branch === NO_BRANCH) return
  if (branch === known.branch) return
  known.branch = branch
  emit({ type: 'session.changed', data: { branch } }, at)
}

/** A title that a user gave here stays. */
function noteTitle({ known, emit }: Translation, fields: Loose, at: number): void {
  const summary = ['customTitle', 'aiTitle', 'title', 'summary'].flatMap(
    (name) => asText(fields[name]) ?? [],
  )[0]
  if (summary === undefined || summary === '' || known.title !== null) return
  known.title = summary
  emit({ type: 'session.changed', data: { summary } }, at)
}

/** The subagent that a line belongs to. Older versions write the lines of subagents into the session's file. */
function speakerOf({ speaker }: Translation, fields: Loose): Translation['speaker'] {
  if (speaker.agentId !== undefined || fields['isSidechain'] !== true) return speaker
  return { agentId: idOf(fields['agentId']) ?? 'sidechain' }
}

function translateAssistant(to: Translation, fields: Loose, at: number): void {
  const { conversation, file, known, emit } = to
  const message = asRecord(fields['message'])
  const blocks = asList(message['content']).map(asRecord)
  const speaker = speakerOf(to, fields)
  const isMain = speaker.agentId === undefined
  if (fields['isApiErrorMessage'] === true) {
    const text = blocks.map((block) => asText(block['text']) ?? '').join('\n')
    if (isMain) conversation.isFailed = true
    if (isMain) conversation.lastText = text
    const notice = quoteNotice('error', 'api', text)
    return isObserved(notice) ? emit(notice, at) : undefined
  }
  // Texts of the CLI itself.
  if (message['model'] === '<synthetic>') return
  const messageId = idOf(message['id']) ?? idOf(fields['uuid']) ?? ''
  if (isMain) startTurn(to, at)
  noteUsage(to, fields, message, messageId, isMain, at)
  const model = asText(message['model'])
  if (isMain && model !== null && model !== known.model) {
    known.model = model
    emit({ type: 'session.changed', data: { model } }, at)
  }
  const uuid = idOf(fields['uuid'])
  for (const block of blocks) {
    const count: number = file.message?.id === messageId ? file.message.blocks : 0
    file.message = { id: messageId, blocks: count + 1 }
    const place = { messageId, index: count, ...(uuid !== null && { uuid }), ...speaker }
    const text = asText(block['text'])
    const thinking = asText(block['thinking'])
    if (block['type'] === 'text' && text !== null) {
      if (isMain) conversation.lastText = text
      if (!isMain || !takeHeardText(to, text)) emit({ type: 'text.ended', data: { ...place, text } }, at)
    } else if (block['type'] === 'thinking' && thinking !== null)
      emit({ type: 'thinking.ended', data: { ...place, text: thinking } }, at)
    else if (block['type'] === 'tool_use') requestCall(to, block, { uuid, speaker, at })
  }
  if (!isMain) return
  conversation.isFailed = false
  conversation.isFinal = asText(message['stop_reason']) === 'end_turn'
}

/** Whether a hook has reported this answer, and it is recorded. */
function takeHeardText({ conversation }: Translation, text: string): boolean {
  if (conversation.heardText === null || conversation.heardText !== digest(text)) return false
  conversation.heardText = null
  return true
}

/** An answer without a known prompt, such as that of a resumed turn. A late line of an ended turn starts no other. */
function startTurn(to: Translation, at: number): void {
  const { conversation, known, newId, emit } = to
  if (known.turnId !== null || at <= conversation.turnEndedAt) return
  reopen(to, at)
  const turnId = newId('trn')
  known.turnId = turnId
  conversation.ownTurn = { id: turnId, startedAt: at }
  emit({ type: 'turn.started', data: { turnId, messageIds: [], origin: { kind: 'unknown' } } }, at)
}

function translateUser(to: Translation, fields: Loose, at: number): void {
  const { content } = asRecord(fields['message'])
  const blocks = asList(content).map(asRecord)
  const speaker = speakerOf(to, fields)
  const results = blocks.filter((block) => block['type'] === 'tool_result')
  for (const block of results) endCall(to, block, fields, { isOnly: results.length === 1, at })
  const said =
    asText(content) ??
    blocks.flatMap((block) => (block['type'] === 'text' ? (asText(block['text']) ?? []) : [])).join('\n')
  if (said.startsWith(INTERRUPTED)) {
    if (speaker.agentId === undefined) closeOwnTurn(to, 'interrupted', at)
    return
  }
  const isCompanion = fields['isMeta'] === true || fields['isCompactSummary'] === true
  if (results.length > 0 || isCompanion || speaker.agentId !== undefined || said === '') return
  readPrompt(to, said, { promptId: idOf(fields['promptId']), at })
}

/** A message that was typed while a turn ran, and was read within it. */
function translateQueued(to: Translation, attachment: Loose, at: number): void {
  const prompt = asText(attachment['prompt'])
  if (attachment['type'] !== 'queued_command' || prompt === null || to.speaker.agentId !== undefined) return
  readPrompt(to, prompt, { promptId: null, at, isInTurn: true })
}

function translateSystem(to: Translation, fields: Loose, at: number): void {
  const { known, emit, speaker } = to
  if (speaker.agentId !== undefined) return endAgentLine(to, fields, at)
  switch (fields['subtype']) {
    case 'compact_boundary': {
      const metadata = asRecord(fields['compactMetadata'])
      const postTokens = asCount(metadata['postTokens'])
      known.contextTokens = postTokens
      return emit(
        {
          type: 'context.compacted',
          data: {
            trigger: asText(metadata['trigger']) ?? 'unknown',
            preTokens: asCount(metadata['preTokens']),
            postTokens,
            durationMs: asCount(metadata['durationMs']),
          },
        },
        at,
      )
    }
    case 'turn_duration':
    case 'stop_hook_summary':
      return closeOwnTurn(to, to.conversation.isFailed ? 'failed' : 'completed', at)
    default:
  }
}

function endAgentLine(to: Translation, fields: Loose, at: number): void {
  const { agentId } = to.speaker
  if (agentId !== undefined && fields['subtype'] === 'turn_duration') endAgent(to, agentId, 'completed', at)
}
