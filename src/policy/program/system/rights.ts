/** Programs that change permissions, owners and attributes. */

import { reason } from '../../../protocol/reason/reason.js'
import type { Field } from '../../shell/field.js'
import type { Handler } from '../handler.js'
import { optionTable, readArguments } from '../option.js'

const TABLE = optionTable(
  `-cfvRhHLPbkdn -m: -M:read -x: -X:read --changes --quiet --silent --verbose --recursive --reference:look --from:
  --preserve-root --no-preserve-root --dereference --no-dereference --modify: --remove: --set: --remove-all
  --remove-default --default --mask --no-mask --restore:ask --test --physical --logical`,
)

/** A mode may start with a dash, as in `chmod -w file`. */
const MODE = /^[-+=][rwxXstugoaAcCdDeijmPSTuF,+=-]+$/

export const changeRights: Handler = ({ context, name, args, span }) => {
  const isMode = ({ text }: Field) => MODE.test(text) && !/^-[RfcvhHLP]+$/.test(text)
  const given = name === 'chmod' || name === 'chattr' ? args.filter((field) => !isMode(field)) : args
  const { operands, has } = readArguments(TABLE, given)
  const hasMode = given.length < args.length || has('reference') || !TAKES_MODE.has(name)
  for (const field of operands.slice(hasMode ? 0 : 1)) {
    context.access('rights', field, { isRecursive: has('R', 'recursive') })
  }
  context.ask('write', reason('program.rights', { name }), span)
  return { text: '', taint: 0, names: null }
}

const TAKES_MODE: ReadonlySet<string> = new Set(['chmod', 'chown', 'chgrp'])
