/**
 * Programs that report on the network and the processes of the machine. Their options are not those of getopt, and their
 * words are commands or filters: only spellings that are listed as a whole are accepted.
 */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, checkField, literalOf } from '../context.js'
import { optionTable, readArguments } from '../option.js'
import type { Field } from '../place.js'
import { refuse } from '../unproven.js'

export const checkNetstat: Check = (args, context) => {
  const read = readArguments('netstat', args, optionTable('-t -u -l -n -p -a -r -i -s -4 -6 -x -e -w'))
  if (!read.flags.has('-n')) refuse(reason('proof.network-names', { program: 'netstat' }), context.at)
  if (read.operands.length > 0) refuse(reason('proof.argument', { program: 'netstat' }), context.at)
}

/** Ports by their numbers: a host would be looked up. */
const ADDRESS = /^[46]?(?:TCP|UDP|tcp|udp)?(?::[0-9]{1,5}(?:[,-][0-9]{1,5})*)?$/
const LSOF_FLAGS = 'nPtaRwl'
/** Their values are attached, or the next word; those of `-i` and `-F` may be missing. */
const LSOF_VALUES: Readonly<Record<string, RegExp | undefined>> = {
  i: ADDRESS,
  F: /^[a-zA-Z]*$/,
  s: /^(?:TCP|tcp):[A-Z_,^]+$/,
  p: /^[0-9]+(?:,[0-9]+)*$/,
  c: /^[A-Za-z0-9][\w.-]*$/,
  u: /^\w[\w,.-]*$/,
}

/** Without `-n` it asks the network for the names of hosts; with `-t -i` it prints numbers of processes alone. */
export const checkLsof: Check = (args, context) => {
  const seen = new Set<string>()
  const waiting = args.toReversed()
  for (let arg = waiting.pop(); arg !== undefined; arg = waiting.pop()) {
    if (/^[-+]/.test(arg.text)) readLsofWord(arg, waiting, seen)
    else checkField('look', arg, context)
  }
  if (!seen.has('n') && !(seen.has('t') && seen.has('i')))
    refuse(reason('proof.network-names', { program: 'lsof' }), context.at)
}

function readLsofWord(arg: Field, waiting: Field[], seen: Set<string>): void {
  const text = literalOf(arg, 'lsof')
  const unlisted = () => refuse(reason('proof.option', { option: text, program: 'lsof' }), arg.at)
  if (text.startsWith('+') || text.length === 1) unlisted()
  for (let index = 1; index < text.length; index++) {
    const letter = text[index] ?? ''
    seen.add(letter)
    if (LSOF_FLAGS.includes(letter)) continue
    const attached = text.slice(index + 1)
    const isApart = attached === '' && /^[^-+]/.test(waiting.at(-1)?.text ?? '')
    const next = isApart ? waiting.pop() : undefined
    const value = next === undefined ? attached : literalOf(next, 'lsof')
    if (LSOF_VALUES[letter]?.test(value) !== true) unlisted()
    return
  }
}

const SS = optionTable(
  `-l -t -n -p -a -u -4 -6 -x -s -e -m -i -o -H -w -O -0 --listening --tcp --numeric --processes --all --udp --ipv4
  --ipv6 --unix --summary --extended --memory --info --options --no-header --raw --oneline`,
)
/** By port numbers and states: names of hosts and services would be looked up. */
const SS_FILTER =
  /^(?:[ds]port (?:=|==|eq|!=|ne) :[0-9]{1,5}|state (?:listening|established|connected|time-wait|close-wait|all))$/

export const checkSs: Check = (args) => {
  const { operands } = readArguments('ss', args, SS)
  const words = operands.map((field) => literalOf(field, 'ss')).join(' ')
  const parts = words === '' ? [] : words.split(/ (?:and|or) /)
  const wrong = parts.find((part) => !SS_FILTER.test(part.replace(/^\( | \)$/g, '')))
  if (wrong !== undefined) refuse(reason('proof.argument', { program: 'ss' }), operands[0]?.at ?? null)
}

/** A command in full that shows, and at most a device or an address in numbers. */
const IP_FLAG = /^-(?:4|6|br|brief|c|color|j|json|p|pretty|o|oneline|s|stats|d|details)$/
const IP_COMMAND =
  /^(?:(?:a|addr|address|l|link|r|route|n|neigh|rule)(?: (?:show|list|ls)(?: (?:dev )?[A-Za-z][A-Za-z0-9@._-]*)?)?|(?:r|route) get [0-9a-f.:]+)$/

export const checkIp: Check = (args, { at }) => {
  const words = args.map((field) => literalOf(field, 'ip'))
  const first = words.findIndex((word) => !IP_FLAG.test(word))
  const command = first < 0 ? '' : words.slice(first).join(' ')
  if (words.some((word) => /\s/.test(word)) || !IP_COMMAND.test(command))
    refuse(reason('proof.argument', { program: 'ip' }), at)
}
