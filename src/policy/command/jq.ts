/** `jq`: only reads, unless its filter shows the environment or comes from elsewhere. */

import { isKnown } from '../path.js'
import type { Field } from '../shell/field.js'
import { applyRole, type Call, type Handler, inputOf } from './handler.js'

const FLAGS =
  /^(?:-[nrjascCMSeR]+|--(?:null-input|raw-output0?|join-output|ascii-output|slurp|compact-output|color-output|monochrome-output|sort-keys|exit-status|raw-input|tab|stream|stream-errors|seq|unbuffered|version|help|build-configuration)|-V|-h)$/

export const jq: Handler = (call) => {
  const { reader, args } = call
  const operands: Field[] = []
  const reads: Field[] = []
  let isArguments = false
  for (let at = 0; at < args.length; at++) {
    const field = args[at] as Field
    const { text } = field
    if (isArguments && operands.length > 0 && !text.startsWith('--')) continue
    if (/^--(?:arg|argjson)$/.test(text)) at += 2
    else if (text === '--indent') at++
    else if (/^--(?:slurpfile|rawfile|argfile)$/.test(text)) {
      at += 2
      const file = args[at]
      if (file !== undefined) reads.push(file)
    } else if (/^--(?:args|jsonargs)$/.test(text)) isArguments = true
    else if (/^(?:-[a-zA-Z]*[fL]|--from-file|--library-path)$/.test(text)) {
      applyRole(call, 'ask', field)
      at++
    } else if (text.startsWith('-') && text !== '-' && !FLAGS.test(text)) applyRole(call, 'ask', field)
    else if (!text.startsWith('-') || text === '-') operands.push(field)
  }
  const [filter, ...files] = operands
  if (filter !== undefined) judgeFilter(call, filter)
  for (const field of [...files, ...reads]) reader.access('read', field)
  return { ...inputOf(call, files), text: null }
}

/** `.env` is a field; `env` and `$ENV` are the environment. */
function judgeFilter({ reader }: Call, { text, span }: Field): void {
  if (!isKnown(text)) reader.ask('unknown-value', 'The filter of jq is not known before it runs.', span)
  // What a text interpolates is code: then all of it is looked at as such.
  const code = text.includes('\\(') ? text : text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""')
  if (/\$ENV\b|\$__prog|(?<![.\w$?])env\b/.test(code)) {
    reader.ask('secret-variable', 'The filter of jq shows the environment.', span)
  }
  if (/(?<![.\w$])(?:import|include|input_filename|get_search_list|modulemeta)\b/.test(code)) {
    reader.ask('code', 'The filter of jq reads other files.', span)
  }
}
