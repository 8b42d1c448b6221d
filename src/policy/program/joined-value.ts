/**
 * Values attached to the letter of their option. Most programs parse them with getopt; others read the same letters as
 * more options: `tree -Io x FILE` writes FILE.
 */

import { applyRole, type Call } from './handler.js'
import type { Arguments, Found } from './option.js'

/** Each of these was compared with the real program. */
const JOINS: ReadonlySet<string> = new Set(
  `b2sum base32 base64 basename cksum cmp column cut df diff du egrep expand fd fdfind fgrep fmt fold ggrep grep head hexdump join
  ls lsof nl numfmt od paste pgrep rg seq shuf sort stat strings tac tail unexpand uniq zgrep`.split(/\s+/),
)

export function judgeJoinedValues({ options }: Arguments, call: Call): void {
  if (JOINS.has(call.name)) return
  for (const option of options)
    if (option.isJoined === true && !isFirst(option, call)) applyRole(call, 'ask', option.field)
}

/** Some programs accept an attached value only if its letter comes first. */
function isFirst({ name, field }: Found, call: Call): boolean {
  if (call.name === 'tree') return /^-L\d+$/.test(field.text)
  return call.name.startsWith('git ') && field.text.startsWith(`-${name}`)
}
