/** Programs that read whole trees: the files that they would show. */

import { fits } from '../../../lib/glob/shell-pattern.js'
import { hasSourceEnding } from '../../file/protected.js'
import type { TreeOptions } from '../../file/tree.js'
import type { Arguments } from '../option.js'

/** Null: it reads only named files, or shows only names and numbers. */
export type Recursion = (args: Arguments) => ReadTree | null

/** `isNamed`: only named folders, never the working directory as a default. */
export type ReadTree = TreeOptions & { isNamed?: boolean }

/**
 * Claude Code runs ugrep under this name. It searches named folders without `-r`, and the working directory if there is
 * a number or a glob. Lines with `!` in `.gitignore` re-include what is excluded.
 */
export const grepTree: Recursion = (args) => {
  const isDeep = args.has('r', 'R', 'recursive', 'dereference-recursive', 'd', 'directories')
  const isOfUgrep = args.hasNumber || args.has('include', 'exclude', 'exclude-dir', 'exclude-from')
  if (showsNoLines(args)) return null
  return {
    ...filtered(valuesOf(args, 'include'), valuesOf(args, 'exclude')),
    ...entering(valuesOf(args, 'exclude-dir')),
    followsLinks: args.has('R', 'dereference-recursive', 'd', 'directories'),
    obeysIgnoreFiles: true,
    isNamed: !isDeep && !isOfUgrep,
  }
}

export const ripgrepTree: Recursion = (args) => {
  if (args.has('files', 'type-list') || showsNoLines(args)) return null
  const types = valuesOf(args, 't', 'type')
  const isTyped = types.length > 0 && types.every((type) => SOURCE_TYPES.has(type)) && !args.has('type-add')
  const globs = valuesOf(args, 'g', 'glob', 'iglob')
  const unrestricted = args.options.filter(({ name }) => name === 'u' || name === 'unrestricted').length
  return {
    ...filtered(
      globs.filter((glob) => !glob.startsWith('!')),
      globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1)),
    ),
    ...(isTyped && globs.length === 0 && { accepts: hasSourceEnding }),
    // A type includes hidden files, and so does a glob.
    skipsHidden: !args.has('hidden', '.') && unrestricted < 2 && types.length + globs.length === 0,
    skipsHiddenFolders: !args.has('hidden', '.') && unrestricted < 2,
    followsLinks: args.has('L', 'follow'),
    obeysIgnoreFiles: true,
  }
}

export const diffTree: Recursion = (args) => {
  if (!args.has('r', 'recursive') || args.has('q', 'brief')) return null
  const excluded = valuesOf(args, 'x', 'exclude')
  return {
    ...filtered([], excluded),
    ...entering(excluded),
    followsLinks: !args.has('no-dereference'),
  }
}

/** Without an index, git reads the files of the working tree. */
export const unindexedTree: Recursion = (args) =>
  args.has('no-index', 'untracked') && !showsNoLines(args) ? {} : null

function showsNoLines(args: Arguments): boolean {
  return args.has(
    'l',
    'files-with-matches',
    'name-only',
    'files-without-match',
    'c',
    'count',
    'count-matches',
    'q',
    'quiet',
    'silent',
  )
}

function valuesOf(args: Arguments, ...names: string[]): string[] {
  return args.options.flatMap(({ name, value }) =>
    names.includes(name) && value !== null ? [value.text] : [],
  )
}

/** A glob with a slash matches paths, which are not compared here, so it narrows nothing. */
function filtered(included: readonly string[], excluded: readonly string[]): TreeOptions {
  const isByName = included.every((glob) => !/[/{\0]/.test(glob))
  const leftOut = excluded.filter((glob) => !/[/{\0]/.test(glob))
  return {
    accepts: (name) =>
      (included.length === 0 || !isByName || included.some((glob) => fits(glob, name))) &&
      !leftOut.some((glob) => fits(glob, name)),
  }
}

function entering(excluded: readonly string[]): TreeOptions {
  const leftOut = excluded.filter((glob) => !/[/{\0]/.test(glob))
  return { enters: (name) => !leftOut.some((glob) => fits(glob, name)) }
}

/** Types of files that are protected only in a folder of keys, or as part of an environment: `.env.js`. */
export const SOURCE_TYPES: ReadonlySet<string> = new Set(
  `ts typescript js javascript py python rust go java kotlin scala swift c cpp csharp ruby php lua julia elixir erlang haskell
  ocaml elm dart zig css sass less html vue svelte md markdown rst`.split(/\s+/),
)
