/** Programs that delete: their operands, and whether they recurse. */

import { reason } from '../../../protocol/reason/reason.js'
import type { Handler } from '../handler.js'
import { optionTable, readArguments } from '../option.js'

const RM = optionTable(
  '-dfirRIvxP --force --interactive? --one-file-system --no-preserve-root --preserve-root? --recursive --dir --verbose --help --version',
)

export const remove: Handler = ({ context, name, args, span }) => {
  const { operands, has, options } = readArguments(RM, args)
  // Abbreviated and doubtful names count as every option that they might mean.
  const isRecursive = has('r', 'R', 'recursive') || TREE_REMOVERS.has(name)
  const isHelp = has('help', 'version') && options.length === 1
  if (!isHelp) for (const field of operands) context.access('delete', field, { isRecursive })
  context.ask('delete', reason('program.deletes', { name }), span)
  return { text: '', taint: 0, names: null }
}

export const TREE_REMOVERS: ReadonlySet<string> = new Set(['rimraf', 'del-cli', 'rmtree', 'srm', 'wipe'])

const SHRED = optionTable(
  '-fuvxz -n: -s: --force --iterations: --random-source:read --size: --remove? --verbose --exact --zero',
)

/** Overwriting a file counts as deleting it. */
export const shred: Handler = ({ context, name, args, span }) => {
  for (const field of readArguments(SHRED, args).operands) {
    context.access('write', field)
    context.access('delete', field)
  }
  context.ask('delete', reason('program.shreds', { name }), span)
  return { text: '', taint: 0, names: null }
}

const TRUNCATE = optionTable('-co -r: -s: --no-create --io-blocks --reference: --size: --help --version')

export const truncate: Handler = ({ context, name, args, span }) => {
  for (const field of readArguments(TRUNCATE, args).operands) {
    context.access('write', field)
    if (field.isTree) context.access('delete', field)
  }
  context.ask('write', reason('program.truncates', { name }), span)
  return { text: '', taint: 0, names: null }
}
