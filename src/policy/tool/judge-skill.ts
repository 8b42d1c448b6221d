/**
 * A skill or command that the model calls. Shell commands in its text are disabled where the CLI is started, and the
 * policy judges each call that the skill leads to. One effect remains: Claude Code reads each file that the arguments
 * mention (`@path`, or `@$1` in the text of the skill) without a call of its own, so every word of them is judged as a
 * read.
 */

import { asText } from '../../lib/read-json.js'
import { spend } from '../../lib/step-budget.js'
import { type Mentions, wordsAsPaths } from '../../lib/text/mention.js'
import { reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { ask, judgePaths } from './judge-path.js'
import type { ToolFindings } from './tool-findings.js'

const FIELDS: ReadonlySet<string> = new Set(['skill', 'args'])
const MAX_WORDS = 1_000
const MAX_LENGTH = 16_384

const UNCLEAR: Mentions = { paths: [], isUnclear: true }

export function judgeSkill(
  fields: Readonly<Record<string, unknown>>,
  environment: CallEnvironment,
): ToolFindings {
  const strange = Object.keys(fields).find((name) => !FIELDS.has(name))
  const args = fields['args'] === undefined ? '' : asText(fields['args'])
  if (strange !== undefined || asText(fields['skill']) === null || args === null) {
    return {
      findings: [ask('malformed', reason('skill.unknown-fields'))],
      uses: [],
      shell: null,
    }
  }
  spend(Math.min(args.length, MAX_LENGTH) * 4)
  const { paths, isUnclear } = args.length > MAX_LENGTH ? UNCLEAR : wordsAsPaths(args)
  if (isUnclear || paths.length > MAX_WORDS) {
    return {
      findings: [ask('too-large', reason('skill.too-large'))],
      uses: [],
      shell: null,
    }
  }
  const { findings, targets } = judgePaths('read', paths, environment)
  return { findings, uses: targets.map((target) => ({ access: 'read', target, command: null })), shell: null }
}
