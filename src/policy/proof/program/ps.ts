/**
 * ps: complete spellings only. When procps meets an error or a conflict between options, it reads all words again as
 * BSD options, also those behind a dash: then the `e` of `-eHT` shows the environment of every process. Which
 * combinations are errors differs by version, so only forms that were run are listed.
 */

import { reason } from '../../../protocol/reason/reason.js'
import type { Check } from '../context.js'
import type { Field } from '../place.js'
import { refuse } from '../unproven.js'

/** The selection of processes and the columns. */
const LISTINGS: ReadonlySet<string> = new Set(
  `-e -A -f -F -l -w -ww -ef -eF -el -elf -efl -efw -efww -ew -eww -Af -AF -Al -Alf -Aw -Aww -a -d -fe -ax -aux
  a x u ax aux auxw auxww auxf axf axu axuf xu axw axww axjf uax faux`.split(/\s+/),
)
/** Selections that may precede `-o FIELDS`; others choose fields themselves. */
const SELECTIONS: ReadonlySet<string> = new Set(
  '-e -A -a -d -w -ww -ew -eww -Aw -Aww a x ax axw axww'.split(' '),
)
/** The same, in one cluster with `-o`. */
const WITH_FIELDS: ReadonlySet<string> = new Set(['-eo', '-Ao', '-axo', 'axo', '-o', '--format'])
const FIELDS = new Set(
  `pid ppid pgid sid sess tty tt tname time etime etimes cputime stat state s user uid ruser ruid euser euid group gid pcpu pmem
  %cpu %mem c cp rss rssize vsz vsize sz size comm cmd args command ucmd ucomm fname lstart start start_time stime bsdstart
  nice ni pri wchan nlwp psr tid lwp f flags cls class policy`.split(/\s+/),
)
/** A number that is not a process id is an error. */
const NUMBERS = /^[1-9][0-9]{0,6}(?:,[1-9][0-9]{0,6})*$/

export const checkPs: Check = (args) => {
  const waiting = args.map(wordOf).toReversed()
  const seen = new Map<PsKind, Field>()
  for (let word = waiting.pop(); word !== undefined; word = waiting.pop()) {
    const kind = kindOf(word, waiting)
    if (kind === null || seen.has(kind)) return refuse(reason('proof.argument', { program: 'ps' }), word.at)
    seen.set(kind, word)
    const wrong = FOREIGN[kind].find((other) => seen.has(other))
    if (wrong !== undefined) refuse(reason('proof.argument', { program: 'ps' }), word.at)
  }
  const listing = seen.get('listing')
  if (seen.has('pids') && listing !== undefined && !PLAIN_LISTINGS.has(listing.text))
    refuse(reason('proof.argument', { program: 'ps' }), listing.at)
}

type PsKind = 'listing' | 'selection' | 'fields' | 'pids' | 'command' | 'sort' | 'header' | 'forest' | 'width'

/** The kinds that must not precede each kind. */
const FOREIGN: Readonly<Record<PsKind, readonly PsKind[]>> = {
  listing: ['fields', 'selection', 'command', 'sort', 'forest', 'header', 'width'],
  selection: ['fields', 'listing', 'pids', 'command', 'sort', 'forest', 'header', 'width'],
  fields: ['listing'],
  pids: ['selection', 'command', 'forest'],
  command: ['listing', 'selection', 'pids', 'sort', 'forest', 'width'],
  sort: ['command'],
  header: [],
  forest: ['pids', 'command'],
  width: ['command'],
}
/** Listings beside a process id: none with an `e`. */
const PLAIN_LISTINGS: ReadonlySet<string> = new Set(['-f', '-F', '-l', '-w', '-ww', 'u'])

/** Consumes the value of the word as well. Null: it is not listed. */
function kindOf({ text }: Field, waiting: Field[]): PsKind | null {
  if (SELECTIONS.has(text))
    return waiting.some(({ text: other }) => /^-o$|^--format/.test(other)) ? 'selection' : 'listing'
  if (LISTINGS.has(text)) return 'listing'
  if (WITH_FIELDS.has(text)) return areFields(waiting.pop()?.text) ? 'fields' : null
  if (text === '-C') return /^[\w.-]+$/.test(waiting.pop()?.text ?? '') ? 'command' : null
  if (text === '-p' || text === '--pid') return NUMBERS.test(waiting.pop()?.text ?? '') ? 'pids' : null
  if (text === '--sort') return isSorting(waiting.pop()?.text) ? 'sort' : null
  const [name = '', value] = text.split(/=(.*)/s)
  if (name === '--sort') return isSorting(value) ? 'sort' : null
  if (name === '--format') return areFields(value) ? 'fields' : null
  if (name === '--pid' || name === '--ppid') return NUMBERS.test(value ?? '') ? 'pids' : null
  if (name === '--cols' || name === '--width') return /^[0-9]+$/.test(value ?? '') ? 'width' : null
  if (text === '--no-headers' || text === '--headers') return 'header'
  return text === '--forest' ? 'forest' : null
}

function areFields(text: string | undefined): boolean {
  const names = (text ?? '').split(',').map((name) => name.replace(/=$/, '').replace(/:[0-9]+$/, ''))
  return names.every((name) => FIELDS.has(name))
}

function isSorting(text: string | undefined): boolean {
  return (text ?? '').split(',').every((name) => SORTED.has(name.replace(/^[+-]/, '')))
}

/** Fields that every version can sort by. */
const SORTED = new Set(
  'pid ppid pcpu pmem %cpu %mem rss vsz vsize size time start_time etime user uid comm cmd args tty'.split(
    ' ',
  ),
)

function wordOf(field: Field): Field {
  if (field.isMatch || field.isWalked || field.isMany || field.text.includes('\0'))
    refuse(reason('proof.argument', { program: 'ps' }), field.at)
  return field
}
