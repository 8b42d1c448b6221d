/** The check of each listed program. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, checkField } from '../context.js'
import { optionTable, readArguments } from '../option.js'
import { refuse } from '../unproven.js'
import { checkAwk } from './awk.js'
import { checkFind, checkXargs } from './find.js'
import { checkGit } from './git.js'
import { checkIp, checkLsof, checkNetstat, checkSs } from './host-report.js'
import { checkJq } from './jq.js'
import {
  checkDate,
  checkDiff,
  checkGzip,
  checkPrintf,
  checkSeq,
  checkTar,
  checkUnzip,
  checkXxd,
  checkZcat,
  checkZipinfo,
  plainCheck,
  printsArguments,
} from './plain.js'
import { PLAIN, VERSIONED } from './plain-table.js'
import { checkPs } from './ps.js'
import { checkGrep, checkRg } from './search.js'
import { checkSed } from './sed.js'
import { checkTest } from './test-command.js'

/** `timeout 5 ls`, `nice -n 5 ls`. */
function wrapper(name: string, options: string, operands: number): Check {
  const table = optionTable(options)
  return (args, context) => {
    const read = readArguments(name, args, table, { stops: true })
    for (const { kind, field } of read.values) checkField(kind, field, context)
    for (const field of read.operands.slice(0, operands)) checkField('number', field, context)
    if (read.before !== null) refuse(reason('proof.argument', { program: name }), context.at)
    return context.run(read.operands.slice(operands), context.input)
  }
}

const checkCommand: Check = (args, context) => {
  const [first, ...words] = args
  if (first?.text !== '-v' && first?.text !== '-V') return context.run(args, context.input)
  for (const word of words) checkField('word', word, context)
  return null
}

const SET = new Set(['-e', '-u', '-eu', '-ue', '-o', '-euo', '-eo', '-uo', 'pipefail', '+e'])

/** Settings that make a script exit earlier. */
const checkSet: Check = (args, { at }) => {
  if (args.length === 0 || !args.every(({ text }) => SET.has(text)))
    refuse(reason('proof.argument', { program: 'set' }), at)
}

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...Object.entries(PLAIN).map(([name, row]) => [name, plainCheck(name, row)] as const),
  ['echo', printsArguments],
  ['true', printsArguments],
  ['false', printsArguments],
  [':', printsArguments],
  ['expr', printsArguments],
  ['printf', checkPrintf],
  ['date', checkDate],
  ['seq', checkSeq],
  ['xxd', checkXxd],
  ['ps', checkPs],
  ['diff', checkDiff],
  ['tar', checkTar],
  ['unzip', checkUnzip],
  ['gzip', checkGzip],
  ['zcat', checkZcat],
  ['zipinfo', checkZipinfo],
  ['netstat', checkNetstat],
  ['lsof', checkLsof],
  ['ss', checkSs],
  ['ip', checkIp],
  ['grep', checkGrep],
  ['egrep', checkGrep],
  ['fgrep', checkGrep],
  ['rg', checkRg],
  ['find', checkFind],
  ['xargs', checkXargs],
  ['sed', checkSed],
  ['awk', checkAwk],
  ['gawk', checkAwk],
  ['mawk', checkAwk],
  ['jq', checkJq],
  ['git', checkGit],
  ['test', checkTest],
  ['[', checkTest],
  [
    'timeout',
    wrapper(
      'timeout',
      '-k:word -s:word --kill-after=word --signal=word --preserve-status --foreground -v',
      1,
    ),
  ],
  ['nice', wrapper('nice', '-n:number -# --adjustment=number', 0)],
  ['command', checkCommand],
  ['set', checkSet],
])

export function checkFor(program: string): Check | null {
  return CHECKS.get(program) ?? null
}

export function isVersionQuestion(program: string, args: readonly string[]): boolean {
  const [word = '', ...others] = args
  if (others.length > 0) return false
  if ((word === '--help' || word === '--version') && Object.hasOwn(PLAIN, program)) return true
  return Object.hasOwn(VERSIONED, word) && VERSIONED[word]?.has(program) === true
}
