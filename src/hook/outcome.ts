/** Maps the end of a hook's program to its meaning: it passed, it blocks, or it failed. */

import { cutText, wellFormed } from '../lib/text/truncate.js'
import { type HookAnswer, NO_ANSWER, readAnswer } from './answer.js'
import type { ProgramEnd, ProgramResult } from './program.js'
import type { CommandHook, HookEvent } from './settings.js'

export interface HookOutcome {
  outcome: 'passed' | 'blocked' | 'broken'
  exitCode: number | null
  /** In words, for the user and for the agent. */
  message: string | null
  /** The parsed answer. Plain text that it printed is in `additionalContext`. */
  answer: HookAnswer
}

const BLOCKED_EXIT_CODE = 2
const MAX_MESSAGE = 20_000

/** These events come before the action they guard. After every other event it is too late to block. */
const CAN_BLOCK = new Set<HookEvent>([
  'PreToolUse',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PreCompact',
  'Stop',
  'SubagentStop',
])
/** To block these means to go on; a broken hook must not do so for ever. */
const GOES_ON = new Set<HookEvent>(['Stop', 'SubagentStop'])
/** Plain output of hooks for these events reaches the agent. */
const TELLS_AGENT = new Set<HookEvent>([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
])

export function judgeProgram(
  event: HookEvent,
  { end, stdout, stderr }: Pick<ProgramResult, 'end' | 'stdout' | 'stderr'>,
  onFailure: CommandHook['onFailure'],
): HookOutcome {
  const exitCode = end.kind === 'exited' ? end.code : null
  const judged = { exitCode, message: null, answer: NO_ANSWER }
  const broken = (problem: string): HookOutcome => {
    const isBlocked = onFailure === 'block' && CAN_BLOCK.has(event) && !GOES_ON.has(event)
    const message = tidy(`The hook is broken: ${problem}.`)
    if (!isBlocked) return { ...judged, outcome: 'broken', message }
    return block(event, judged, `${message} It is set to block when it fails.`)
  }
  if (end.kind !== 'exited') return broken(wordsOf(end))
  const read = readAnswer(stdout)
  if (end.code === BLOCKED_EXIT_CODE) {
    const reason = read.kind === 'answer' ? read.answer.reason : null
    return block(event, judged, stderr.trim() || reason || stdout.trim() || 'A hook blocks this.')
  }
  if (read.kind === 'misread') return broken(`${read.problem}, which means nothing`)
  const answer = read.kind === 'answer' ? read.answer : textAnswer(event, read.text)
  if (answer.decision === 'deny')
    return block(event, { ...judged, answer }, answer.reason ?? 'A hook blocks this.')
  if (end.code !== 0) {
    const failed = broken(`${wordsOf(end)}${stderr.trim() === '' ? '' : `: ${stderr.trim()}`}`)
    // A broken program is trusted to be careful, not to be generous.
    return answer.decision === 'ask' && failed.outcome === 'broken'
      ? { ...failed, answer: { ...NO_ANSWER, decision: 'ask', reason: answer.reason } }
      : failed
  }
  return { ...judged, outcome: 'passed', message: tidy(answer.reason ?? answer.additionalContext), answer }
}

type Judged = Pick<HookOutcome, 'exitCode' | 'answer'>

/** An action that has happened cannot be blocked: then the message is context for the agent. */
function block(event: HookEvent, { exitCode, answer }: Judged, reason: string): HookOutcome {
  const message = tidy(reason)
  if (CAN_BLOCK.has(event)) {
    const blocking: HookAnswer = { ...answer, decision: 'deny', reason: message, updatedInput: null }
    return { outcome: 'blocked', exitCode, message, answer: blocking }
  }
  const context = [answer.additionalContext, message].filter((text) => text !== null).join('\n')
  return {
    outcome: 'passed',
    exitCode,
    message,
    answer: { ...answer, decision: null, additionalContext: TELLS_AGENT.has(event) ? context : null },
  }
}

function textAnswer(event: HookEvent, text: string): HookAnswer {
  if (text === '' || !TELLS_AGENT.has(event)) return NO_ANSWER
  return { ...NO_ANSWER, additionalContext: tidy(text) }
}

function wordsOf(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return `it ended with exit code ${end.code}${KNOWN_CODES[end.code] ?? ''}`
    case 'signalled':
      return `it was ended by ${end.signal}`
    case 'timed_out':
      return `it took longer than ${end.timeoutMs / 1_000} seconds`
    case 'aborted':
      return 'it was interrupted'
    case 'not_started':
      return `it could not be started, as ${end.reason}`
  }
}

const KNOWN_CODES: Readonly<Record<number, string>> = {
  126: ', as its program is not executable',
  127: ', as its program was not found',
}

function tidy(text: string): string
function tidy(text: string | null): string | null
function tidy(text: string | null): string | null {
  if (text === null) return null
  const shown = wellFormed(text).replaceAll('\0', '\ufffd')
  return shown.length > MAX_MESSAGE ? `${cutText(shown, MAX_MESSAGE)} …` : shown
}
