/** `jq`: only reads, unless its filter shows the environment or is not on the command line. */

import { reason } from '../../../protocol/reason/reason.js'
import type { Field } from '../../shell/field.js'
import { applyRole, type Call, type Handler, inputOf, judgeProgramText, judgeText } from '../handler.js'
import { readJqFilter } from './jq-filter.js'

const FLAGS =
  /^(?:-[nrjascCMSeR]+|--(?:null-input|raw-output0?|join-output|ascii-output|slurp|compact-output|color-output|monochrome-output|sort-keys|exit-status|raw-input|tab|stream|stream-errors|seq|unbuffered|version|help|build-configuration)|-V|-h)$/

/** Options are recognised anywhere before `--`, also behind `--args`. */
export const jq: Handler = (call) => {
  const { context, args } = call
  let filter: Field | null = null
  const files: Field[] = []
  const reads: Field[] = []
  let takesFiles = true
  let isDone = false
  for (let at = 0; at < args.length; at++) {
    const field = args[at] as Field
    const { text } = field
    judgeText(context, field)
    if (isDone || !/^-[-a-zA-Z\0]/.test(text)) {
      if (filter === null) filter = field
      else if (takesFiles) files.push(field)
    } else if (text === '--') isDone = true
    else if (/^--(?:arg|argjson)$/.test(text)) at += skipNamed(call, at)
    else if (text === '--indent') at++
    else if (/^--(?:slurpfile|rawfile|argfile)$/.test(text)) {
      at += 2
      const file = args[at]
      if (file !== undefined) reads.push(file)
    } else if (/^--(?:args|jsonargs)$/.test(text)) takesFiles = false
    else if (!FLAGS.test(text)) applyRole(call, 'ask', field)
  }
  if (filter !== null) judgeFilter(call, filter)
  for (const field of [...files, ...reads]) context.access('read', field)
  return { ...inputOf(call, files), text: null }
}

/** `--arg NAME VALUE`: both are text. */
function skipNamed({ context, args }: Call, at: number): number {
  for (const field of args.slice(at + 1, at + 3)) judgeText(context, field)
  return 2
}

/** `.env` is a field; `env` and `$ENV` are the environment. */
function judgeFilter(call: Call, filter: Field): void {
  const { context } = call
  judgeProgramText(call, filter)
  const found = readJqFilter(filter.text)
  if (found.showsEnvironment) context.ask('secret-variable', reason('jq.environment'), filter.span)
  if (found.readsFiles) context.ask('code', reason('jq.files'), filter.span)
  if (!found.isUnderstood) context.ask('code', reason('jq.unreadable'), filter.span)
}
