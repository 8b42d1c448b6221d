/**
 * Values that stand behind the letter of their option. Most programs read them with getopt; to others what looks like the
 * value is more options: `tree -Io x FILE` writes FILE.
 */

import { applyRole, type Call } from './handler.js'
import type { Arguments, Found } from './option.js'

/** Each was compared with the program itself. */
const JOINS: ReadonlySet<string> = new Set(
  `b2sum base32 base64 basename cksum cmp column cut df diff du egrep expand fd fdfind fgrep fmt fold ggrep grep head hexdump join
  ls nl numfmt od paste pgrep rg seq shuf sort stat strings tac tail unexpand uniq zgrep`.split(/\s+/),
)

export function judgeJoinedValues({ options }: Arguments, call: Call): void {
  if (JOINS.has(call.name)) return
  for (const option of options)
    if (option.isJoined === true && !isFirst(option, call)) applyRole(call, 'ask', option.field)
}

/** Some take a value only behind a letter that is the first one. */
function isFirst({ name, field }: Found, call: Call): boolean {
  if (call.name === 'tree') return /^-L\d+$/.test(field.text)
  return call.name.startsWith('git ') && field.text.startsWith(`-${name}`)
}
