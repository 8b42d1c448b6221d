/** grep and rg: the files they would read, and whether their output is a list of names. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, type Context, checkField, checkValues, type Names } from '../context.js'
import { fits, patternOf } from '../glob.js'
import { optionTable, readArguments } from '../option.js'
import type { Field, TreeFilter } from '../place.js'
import { refuse } from '../unproven.js'

const GREP_VALUES = `-e:text -f:read -m:number -A:number -B:number -C:number -d:word -D:word --regexp=text --file=read --max-count=number
  --after-context=number --before-context=number --context[=number] --include=text --exclude=text --exclude-dir=text
  --exclude-from=read --color[=word] --colour[=word] --binary-files=word --directories=word --devices=word`
const GREP = optionTable(
  `-E -F -G -P -i -y -v -w -x -c -l -L -o -q -s -b -H -h -n -T -Z -z -a -I -U -r -R -# --extended-regexp --fixed-strings
  --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count
  --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --byte-offset --with-filename
  --no-filename --line-number --initial-tab --null --null-data --text --binary --recursive --line-buffered`,
  GREP_VALUES,
)
/** With only these options, grep filters lines and adds nothing. */
const LEAVES_OUT = new Set(['-v', '-i', '-E', '-F', '-w', '-x', '-e', '--invert-match', '--ignore-case'])
/** With only these options, the output is names of files and nothing else. */
const LISTS = new Set(
  `-l -r -R -i -w -x -E -F -P -G -e -I -s -n -H -S -U -u -. -g -t -T -0 -Z --files --files-with-matches --include --exclude --exclude-dir
  --recursive --ignore-case --glob --type --type-not --hidden --no-ignore --null --fixed-strings --sort`.split(
    /\s+/,
  ),
)

/**
 * In a session of Claude Code `grep` is a function that runs ugrep (`-G --ignore-files --hidden`), otherwise it is GNU
 * grep: the files that either reads count. ugrep searches a named folder without `-r`; it reads a number as a depth,
 * which, like a glob with a slash, makes it search the working directory; a line with `!` in `.gitignore` undoes
 * `--exclude-dir`.
 */
export const checkGrep: Check = (args, context) => {
  const read = readArguments(context.program, args, GREP)
  checkValues(read, context)
  const has = (...names: string[]) => names.some((name) => read.flags.has(name))
  const [pattern, ...rest] = read.operands
  const isNamed = has('-e', '--regexp', '-f', '--file')
  if (!isNamed && pattern === undefined)
    return refuse(reason('proof.no-argument', { program: 'grep' }), context.at)
  // ugrep takes a lone dash for standard input, and the next word for the pattern.
  if (!isNamed && pattern?.text === '-')
    return refuse(reason('proof.argument', { program: 'grep' }), pattern.at)
  if (!isNamed && pattern !== undefined) checkField('text', pattern, context)
  const files = isNamed ? read.operands : rest
  const isDeep = has('-r', '-R', '--recursive', '-d', '--directories')
  const isOfUgrep = has('-#', '--include', '--exclude', '--exclude-dir', '--exclude-from')
  if (files.length === 0 && !isDeep && !isOfUgrep)
    return [...read.flags].every((flag) => LEAVES_OUT.has(flag)) ? context.input : null
  const valuesOf = (name: string) =>
    read.values.filter((value) => value.name === name).map(({ field }) => field.text)
  const skipped = new Set(valuesOf('--exclude-dir').map((text) => text.replace(/\/$/, '')))
  const isLeftOut = has('--exclude', '--exclude-from')
  const filter = {
    skipsFolder: (name: string) => skipped.has(name),
    ...readsOnly(isLeftOut ? [] : valuesOf('--include'), context),
    followsFolders: has('-R', '-d', '--directories'),
    obeysIgnoreFiles: skipped.size > 0,
  }
  const named = files.filter(({ text }) => text !== '-')
  const isHere = named.length === 0 && (isDeep || isOfUgrep)
  const trees = isHere ? [...files, { text: '.', at: context.at }] : files
  for (const tree of trees) {
    // find and xargs run the program, not the function.
    if (tree.isWalked && !isDeep) context.places.read(tree, context.folders)
    else context.places.tree(tree, context.folders, filter)
  }
  return isDeep && has('-l', '--files-with-matches') && [...read.flags].every((flag) => LISTS.has(flag))
    ? listed(trees, context, filter)
    : null
}

/** Only files whose name matches one of the patterns; all of them if one is not understood. */
export function readsOnly(
  globs: readonly string[],
  { places }: Context,
): { readsFile?: (name: string) => boolean } {
  const patterns = globs.map((text) => (text.includes('/') ? null : patternOf(text)))
  if (patterns.length === 0 || patterns.includes(null)) return {}
  return {
    readsFile: (name) => patterns.some((pattern) => pattern !== null && fits(pattern, name, places.budget)),
  }
}

/** The names below these trees. */
export function listed(trees: readonly Field[], { places, folders }: Context, filter: TreeFilter): Names {
  return {
    walk: () => {
      for (const tree of trees) {
        if (/[\s'"\\]/.test(tree.text)) refuse(reason('proof.xargs-folder'), tree.at)
        places.tree(tree, folders, { ...filter, isSplit: true })
      }
    },
  }
}

const RG = optionTable(
  `-A:number -B:number -C:number -c -e:text -f:read -F -g:text -H -i -I -j:number -l -m:number -M:number -n -N -o -p -P -q -r:text -s -S -t:word -T:word
  -u -U -v -w -x -0 -a -b -E:word -d:number -. --after-context=number --before-context=number --context=number --count
  --count-matches --regexp=text --file=read --fixed-strings --glob=text --iglob=text --with-filename --ignore-case
  --no-filename --threads=number --files-with-matches --files-without-match --max-count=number --max-columns=number
  --max-columns-preview --line-number --no-line-number --only-matching --pretty --pcre2 --quiet --replace=text
  --case-sensitive --smart-case --type=word --type-not=word --unrestricted --multiline --multiline-dotall --invert-match
  --word-regexp --line-regexp --null --text --byte-offset --encoding=word --max-depth=number --hidden --no-ignore
  --no-ignore-vcs --no-ignore-parent --files --type-list --sort=word --sortr=word --json --stats --vimgrep --heading --no-heading
  --color=word --colors=text --column --no-column --context-separator=text --trim --no-messages --max-filesize=word
  --glob-case-insensitive --passthru --crlf --null-data --one-file-system --no-config --no-unicode --no-hidden --block-buffered --line-buffered
  --field-context-separator=text --field-match-separator=text --include-zero --engine=word`,
)

/** Options that only choose or order the files of a list. */
const LISTING = new Set(
  `--files --type-list -g -t -T -u -. -0 -d -j --glob --iglob --glob-case-insensitive --type --type-not --unrestricted --hidden
  --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --null --max-depth --max-filesize --sort --sortr --threads --color
  --no-messages --one-file-system --no-config`.split(/\s+/),
)

/** The globs of these ripgrep types. */
const TYPES: Readonly<Record<string, readonly string[] | undefined>> = {
  ts: ['*.ts', '*.tsx', '*.cts', '*.mts'],
  js: ['*.js', '*.jsx', '*.cjs', '*.mjs', '*.vue'],
  py: ['*.py', '*.pyi'],
  rust: ['*.rs'],
  go: ['*.go'],
  css: ['*.css', '*.scss'],
  html: ['*.htm', '*.html', '*.ejs'],
}

export const checkRg: Check = (args, context) => {
  const read = readArguments('rg', args, RG)
  checkValues(read, context)
  const has = (...names: string[]) => names.some((name) => read.flags.has(name))
  const isList = has('--files', '--type-list')
  // In some versions such an option ends the list: the first operand is a pattern, and files are read.
  if (isList && [...read.flags].some((flag) => !LISTING.has(flag)))
    return refuse(reason('proof.argument', { program: 'rg' }), context.at)
  const isNamed = isList || has('-e', '--regexp', '-f', '--file')
  const [pattern, ...rest] = read.operands
  if (!isNamed && pattern === undefined)
    return refuse(reason('proof.no-argument', { program: 'rg' }), context.at)
  if (!isNamed && pattern !== undefined) checkField('text', pattern, context)
  const named = isNamed ? read.operands : rest
  if (has('--type-list') || (named.length === 0 && context.hasInput && !isList)) return null
  const trees = named.length > 0 ? named : [{ text: '.', at: context.at }]
  const globs = read.values.filter(({ name }) => /^-g$|glob$/.test(name)).map(({ field }) => field.text)
  const wanted = globs.filter((text) => !text.startsWith('!'))
  // A glob that names files also includes hidden ones.
  const seesHidden = has('-.', '--hidden', '-u', '--unrestricted') || wanted.length > 0
  const isLoose = read.flags.has('--iglob') || read.flags.has('--glob-case-insensitive')
  const types = read.values
    .filter(({ name }) => name === '-t' || name === '--type')
    .map(({ field }) => TYPES[field.text])
  const isTyped = types.length > 0 && !types.includes(undefined)
  const typed = readsOnly(isTyped ? types.flatMap((type) => type ?? []) : [], context)
  const filter: TreeFilter = seesHidden
    ? readsOnly(isLoose ? [] : wanted, context)
    : {
        skipsFolder: isHidden,
        // A type includes hidden files as well.
        readsFile: typed.readsFile ?? ((name: string) => types.length > 0 || !isHidden(name)),
        obeysIgnoreFiles: true,
      }
  if (isList) for (const tree of trees) context.places.look(tree, context.folders)
  else for (const tree of trees) context.places.tree(tree, context.folders, filter)
  const isNames = isList || has('-l', '--files-with-matches')
  return isNames && [...read.flags].every((flag) => LISTS.has(flag)) ? listed(trees, context, filter) : null
}

function isHidden(name: string): boolean {
  return name.startsWith('.')
}
