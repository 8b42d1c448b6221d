/** Commands of git that print only revisions, so that git may receive their output as arguments. */

import { isKnown, UNKNOWN } from '../../file/path.js'
import { type Field, isLiteral, type Stream } from '../../shell/field.js'
import { textStream } from '../../shell/stream.js'
import type { Call } from '../handler.js'

/** A word that is only known at run time, but can neither be an option nor name a file in a revision. */
export function isRevision({ text, shape, isFound, isTree, pattern }: Field): boolean {
  if (shape === undefined || isFound === true || isTree || pattern !== null) return false
  return /^(?!-)[\w./@^~+-]*$/.test(text.replaceAll(UNKNOWN, ''))
}

/** The output of a reading git command, with the shape of its words. */
export function shaped(call: Call, verb: string, stream: Stream): Stream {
  if (stream.text !== null || stream.names !== null || stream.taint !== 0) return stream
  const { args } = call
  if (!args.every(isLiteral)) return stream
  const words = args.map(({ text }) => text)
  if (verb === 'rev-parse' && words.length === 1 && words[0] === '--show-toplevel')
    return topLevel(call, stream)
  if (verb === 'rev-list' && words.includes('--count')) {
    const rest = words.filter((word) => word !== '--count')
    return fits(rest, REVISION_LISTS['rev-list']) ? { ...stream, shape: 'number' } : stream
  }
  const list = Object.hasOwn(REVISION_LISTS, verb) ? REVISION_LISTS[verb] : undefined
  return list !== undefined && fits(words, list) ? { ...stream, shape: 'revision' } : stream
}

interface RevisionList {
  /** Options that do not change this. */
  options: RegExp
  /** One of these is required, unless it prints revisions anyway. */
  needs?: RegExp
  /** The minimum number of operands. */
  least?: number
  operands?: RegExp
}

const REVISION = /^[\w./@{}~^-]+$/
const NAMES = /^[\w./@{}~^*-]+$/

const SELECTION =
  /^(?:-\d+|-n\d+|--max-count=\d+|--skip=\d+|--all|--branches|--tags|--remotes|--reverse|--no-merges|--merges|--first-parent|--topo-order|--date-order|--(?:since|until|after|before|author)=[^\0]*)$/
const ONLY_IDS = /^--(?:format|pretty)=(?:(?:t?format:)?%[hH])$/
const ONLY_NAMES = /^--format=%\(refname(?::short)?\)$/

const REVISION_LISTS: Readonly<Record<string, RevisionList>> = {
  'rev-list': { options: SELECTION, least: 0 },
  'merge-base': { options: /^(?:-a|--all|--octopus|--fork-point)$/, least: 1 },
  // It prints an unknown argument unchanged, which may be the name of a file.
  'rev-parse': {
    options: /^(?:--short(?:=\d+)?|--verify|-q|--quiet|--abbrev-ref|--symbolic-full-name)$/,
    operands: /^(?:HEAD|@)(?:[~^]\d*|@?\{u(?:pstream)?\})*$/,
    least: 1,
  },
  describe: { options: /^(?:--tags|--always|--long|--exact-match|--abbrev=\d+|--first-parent)$/ },
  log: { options: SELECTION, needs: ONLY_IDS },
  branch: {
    options: /^(?:-a|-r|-l|--all|--remotes|--list|--sort=[\w:-]+)$/,
    needs: /^--show-current$|^--format=%\(refname(?::short)?\)$/,
    operands: NAMES,
  },
  'for-each-ref': { options: /^--sort=[\w:-]+$|^--count=\d+$/, needs: ONLY_NAMES, operands: NAMES },
  tag: { options: /^(?:-l|--list|--sort=[\w:-]+)$/, operands: NAMES },
}

function fits(words: readonly string[], list: RevisionList | undefined): boolean {
  if (list === undefined) return false
  const { options, needs, least = 0, operands: known = REVISION } = list
  const operands = words.filter((word) => !word.startsWith('-'))
  const others = words.filter((word) => word.startsWith('-') && !(needs?.test(word) ?? false))
  return (
    (needs === undefined || words.some((word) => needs.test(word))) &&
    others.every((word) => options.test(word)) &&
    operands.length >= least &&
    operands.every((word) => known.test(word))
  )
}

/** The workspace, if it is a repository: the policy has already asked about nested ones. */
function topLevel({ context: { environment, state } }: Call, stream: Stream): Stream {
  const { fs, realWorkspace } = environment
  const isInside = state.folders.every(
    (folder) => isKnown(folder) && `${folder}/`.startsWith(`${realWorkspace}/`),
  )
  if (!isInside || fs.list(realWorkspace)?.includes('.git') !== true) return stream
  return textStream(`${realWorkspace}\n`)
}
