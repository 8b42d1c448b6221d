/** Skills that the agent calls: a skill begins and ends with the call of its tool. */

import { asRecord, asText } from '../../lib/read-json.js'
import type { ToolOutcome } from '../../protocol/event/content-event.js'
import type { DataOf } from '../../protocol/event/event.js'
import type { Outcome } from '../../protocol/value.js'

export type StartedSkill = DataOf<'skill.started'>

const SKILL_TOOL = 'Skill'

/** Null for a call that starts no skill. As lifecycle hooks write it of terminals. */
export function skillOf(
  call: { toolUseId: string; name: string; input: unknown },
  turnSeq: number | null,
): StartedSkill | null {
  const { skill, args } = asRecord(call.input)
  const skillName = call.name === SKILL_TOOL ? (asText(skill) ?? '').replace(/^\//, '') : ''
  if (skillName === '') return null
  const words = asText(args) ?? ''
  return {
    skillName,
    triggerCommand: words === '' ? `/${skillName}` : `/${skillName} ${words}`,
    turnSeq,
    targetDocPath: documentIn(words),
    startedBy: 'model',
    toolUseId: call.toolUseId,
  }
}

/** The first word that is plainly a file. */
function documentIn(args: string): string | null {
  const words = args.split(/[ \n\r\t]+/).map((word) => word.replace(/^@/, ''))
  return words.find(isDocument) ?? null
}

function isDocument(word: string): boolean {
  if (word.length >= 4096 || /^-|["\\\p{Cc}\p{Cs}]|:\/\//u.test(word)) return false
  return /.\.(?:mdx?|txt|rst|adoc)$/.test(word) || /\/[^/]+\.[A-Za-z][A-Za-z0-9]*$/.test(word)
}

export function skillOutcomeOf(outcome: ToolOutcome): Outcome {
  if (outcome === 'completed') return 'completed'
  return outcome === 'cancelled' ? 'interrupted' : 'failed'
}
