/** `date` and `ps`: readers with unusual operands. */

import type { Field } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import { applyRole, type Handler } from '../handler.js'
import { optionTable, readArguments } from '../option.js'

const DATE = optionTable(
  `-uRI? -d: -f:read -r:look -s:ask --date: --file:read --iso-8601? --rfc-email --rfc-2822 --rfc-3339: --reference:look
  --set:ask --utc --universal --debug --resolution --help --version`,
)

/** Without a plus, the operand is a time to set the clock to. */
export const date: Handler = (call) => {
  const given = readArguments(DATE, call.args)
  for (const { role, value } of given.options)
    if (value !== null && role !== 'text') applyRole(call, role, value)
  const wrong = [
    ...given.unknown,
    ...given.doubtful,
    ...given.operands.filter(({ text }) => !text.startsWith('+')),
  ]
  for (const field of wrong) applyRole(call, 'ask', field)
  return ANYTHING
}

const PS = optionTable(
  `-AadeflFjyHwLTmMNZVc -p: -q: -u: -U: -g: -G: -t: -s: -C: -o: -O: -n: --pid: --ppid: --quick-pid: --user: --User:
  --group: --Group: --tty: --sid: --sort: --forest --headers --header --no-headers --no-heading --format: --deselect
  --width: --columns: --cols: --rows: --lines: --context --cumulative --info --help? --version`,
)

/**
 * Words without a dash are BSD options, where `e` shows the environment of every process. After an error procps reads
 * all words in that style, with a dash or without, so an `e` is accepted only where no version sees an error.
 */
export const ps: Handler = (call) => {
  const given = readArguments(PS, call.args)
  const isOld = ({ text }: Field) =>
    /^[aAcfgGhHjklLmnNoOpqrsStTuUvwxXZ]+$/.test(text) || /^\d+(?:,\d+)*$/.test(text)
  const wrong = [...given.unknown, ...given.doubtful, ...given.operands.filter((field) => !isOld(field))]
  for (const field of wrong) applyRole(call, 'ask', field)
  const text = call.args.map((field) => field.text).join(' ')
  const [first] = call.args
  if (first !== undefined && wrong.length === 0 && mayShowEnvironment(text)) applyRole(call, 'ask', first)
  return ANYTHING
}

const LONG = String.raw`(?: --(?:sort[= ][\w%,+-]+|no-headers|headers|cols=\d+|width=\d+|forest))*`
const FIELDS = String.raw`(?: (?:-o |--format[= ])[\w%,=:]+)`
/** All processes, in a form that every version accepts. */
const ALL = new RegExp(`^-(?:e|fe|el|ef|eF|elf|efl|ew{1,2}|efw{1,2})${LONG}$`)
const ALL_WITH_FIELDS = new RegExp(`^-(?:eo [\\w%,=:]+|ew{0,2}${FIELDS})${LONG}$`)
const BY_NAME = new RegExp(`^-C [\\w.-]+${FIELDS}?${LONG}$`)

/** Whether an `e` occurs outside a known form and outside field names. */
function mayShowEnvironment(text: string): boolean {
  if (ALL.test(text) || ALL_WITH_FIELDS.test(text) || BY_NAME.test(text)) return false
  const rest = text
    .replaceAll(/(^|\s)(?:-(?:ax|A)?o|axo|--format)[= ][\w%,=:]+/g, '$1')
    .replaceAll(/(^|\s)--(?:sort[= ][\w%,+-]+|no-headers|headers?|cols=\d+|width=\d+|forest)/g, '$1')
  return rest.includes('e')
}
