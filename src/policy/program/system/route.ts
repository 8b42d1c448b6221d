/** `ip`: the forms that only show addresses, links, routes and neighbours. */

import { reason } from '../../../protocol/reason/reason.js'
import { isLiteral } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import type { Handler } from '../handler.js'

/** Its commands may be cut short, so that `ip a a` adds an address: only these spellings show. */
const OPTION = /^-(?:4|6|br|brief|c|color|j|json|p|pretty|o|oneline|s|stats|d|details)$/
const SHOWN = /^(?:a|addr|address|l|link|r|route|n|neigh|rule)$/
const SHOW = /^(?:show|list|ls)$/
const NAME = /^[A-Za-z][\w@.-]*$/

export const ip: Handler = ({ context, args, span }) => {
  const words = args.map(({ text }) => text)
  const first = words.findIndex((word) => !OPTION.test(word))
  const shows = args.every(isLiteral) && first >= 0 && isShowing(words.slice(first))
  if (!shows) context.ask('program', reason('program.unlisted', { name: 'ip' }), span)
  return ANYTHING
}

function isShowing([object = '', verb, ...rest]: readonly string[]): boolean {
  if (!SHOWN.test(object)) return false
  if (verb === undefined) return true
  if (verb === 'get')
    return object.startsWith('r') && rest.length === 1 && /^[0-9a-f.:]+$/.test(rest[0] ?? '')
  const names = rest[0] === 'dev' ? rest.slice(1) : rest
  return SHOW.test(verb) && (rest.length === 0 || (names.length === 1 && NAME.test(names[0] ?? '')))
}
