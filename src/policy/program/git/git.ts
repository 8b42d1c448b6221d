/**
 * `git`: the files its commands read and change, and the programs they run. The repository's own settings are trusted,
 * the command line is not.
 */

import { ownEntry } from '../../../lib/own-entry.js'
import { reason } from '../../../protocol/reason/reason.js'
import { isKnown } from '../../file/path.js'
import { type Field, isLiteral, literal, type Stream, tail } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import { applyRole, type Call, type Handler } from '../handler.js'
import { type Arguments, type OptionTable, optionTable, readArguments } from '../option.js'
import { fromSpec } from '../spec.js'
import { judgeLeak } from '../system/network.js'
import { showsSettings } from './git-config.js'
import { judgeContent } from './git-content.js'
import { gitEffect } from './git-effect.js'
import { namesInOperand } from './git-name.js'
import { judgeRepository } from './git-repository.js'
import { judgeRestore, RESTORING } from './git-restore.js'
import { isRevision, shaped } from './git-revision.js'
import { BRANCH, GIT_READERS, TAG } from './git-table.js'

const readers = new Map<string, Handler>(
  Object.entries(GIT_READERS).map(([name, spec]) => [name, fromSpec({ ...spec, named: namesInOperand })]),
)
const LISTERS: Readonly<Record<string, { table: OptionTable; list: Handler }>> = {
  branch: { table: optionTable(BRANCH.options ?? ''), list: fromSpec(BRANCH) },
  tag: { table: optionTable(TAG.options ?? ''), list: fromSpec(TAG) },
}

const GLOBAL = optionTable(
  `+stop -p! -P -C: -c: --version --help --html-path --man-path --info-path --paginate! --no-pager --no-replace-objects
  --no-lazy-fetch --no-optional-locks --no-advice --bare! --git-dir:ask --work-tree:ask --namespace:ask --exec-path?ask
  --config-env:ask --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --super-prefix:ask
  --attr-source:`,
)

export const git: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(GLOBAL, args)
  for (const { role, value, field, name } of given.options) {
    if (role === 'ask') applyRole(call, 'ask', value ?? field)
    if (name === 'c' && value !== null) judgeSetting(call, value)
  }
  for (const field of given.unknown) applyRole(call, 'ask', field)
  const [verb, ...rest] = given.operands
  if (verb === undefined) {
    if (!given.has('version') || given.has('help')) context.ask('program', reason('git.nothing'), span)
    return ANYTHING
  }
  const folders = given.options.filter(({ name }) => name === 'C').flatMap(({ value }) => value ?? [])
  return context.inSubshell(() => {
    for (const folder of folders) {
      context.access('look', folder)
      if (!isLiteral(folder)) context.ask('code', reason('git.unknown-folder'), folder.span)
      context.state.folders = context.targets(folder).map(({ path }) => path)
    }
    judgeRepository(call)
    return runVerb({ ...call, name: `git ${verb.text}`, args: rest }, verb)
  })
}

/** `-c name=value`: some settings are commands. */
function judgeSetting(call: Call, setting: Field): void {
  const { context } = call
  context.ask(
    'environment',
    reason('git.setting', { setting: setting.text.split('=', 1)[0] ?? '' }),
    setting.span,
  )
  const [name = ''] = /^[^=]*/.exec(setting.text) ?? []
  const value = tail(setting, Math.min(setting.text.length, name.length + 1))
  if (!COMMAND_SETTINGS.test(name)) return
  const mark = /^\s*!/.exec(value.text)?.[0] ?? ''
  if (/^alias\./i.test(name) && mark === '') return
  applyRole(call, 'shell', tail(value, mark.length))
}

const COMMAND_SETTINGS =
  /^(?:alias\..+|core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass|hookspath)|diff\.external|sequence\.editor|credential\.helper|.*\.(?:textconv|command|cmd|clean|smudge|process|driver|program|helper|uploadpack|receivepack)|pager\..+)$/i

/** An unknown word may be an option that runs a program, or name a protected file in the history. */
function judgeUnknownWords({ context, args }: Call): void {
  const end = args.findIndex(({ text }) => text === '--')
  for (const field of end < 0 ? args : args.slice(0, end)) {
    if (isRevision(field)) continue
    if (!isKnown(field.text) || field.isSplit === true || field.isFound === true)
      context.ask('unknown-value', reason('git.unknown-word'), field.span)
  }
}

function runVerb(call: Call, verb: Field): Stream {
  const { context, args, span } = call
  judgeUnknownWords(call)
  const text = verb.text
  judgeContent(call, text)
  const reading = readers.get(text)
  if (reading !== undefined && !isWriting(text, args)) {
    return shaped(call, text, reading(call))
  }
  const lister = ownEntry(LISTERS, text)
  if (lister !== undefined && isListing(readArguments(lister.table, args)))
    return shaped(call, text, lister.list(call))
  if (text === 'config' && showsSettings(call)) return ANYTHING
  const [first, ...rest] = args.filter((field) => field.text !== '--')
  if (isLookingSubcommand(text, first?.text ?? '', rest)) return lookInside(call, text, rest)
  const isNetwork = NETWORK_VERBS.has(text)
  context.ask(isNetwork ? 'network' : 'write', gitEffect(text, args, isNetwork), span)
  if (isNetwork) judgeLeak(call)
  judgeChange(call, text)
  judgeRuns(call, text)
  return ANYTHING
}

const NETWORK_VERBS = new Set([
  'push',
  'pull',
  'fetch',
  'clone',
  'ls-remote',
  'remote',
  'send-email',
  'request-pull',
  'svn',
])

/** Git accepts the verb of `reflog` in several positions. */
function isWriting(verb: string, args: readonly Field[]): boolean {
  return verb === 'reflog' && args.some(({ text }) => /^(?:expire|delete|drop|write)$|\0/.test(text))
}

/**
 * A name without one of these creates a branch or a tag. The options are read as git reads them: `--sort --list x`
 * lists nothing.
 */
function isListing(given: Arguments): boolean {
  return (
    given.operands.length === 0 ||
    given.has('l', 'list', 'n', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at')
  )
}

function isLookingSubcommand(verb: string, first: string, rest: readonly Field[]): boolean {
  const isBare = rest.every(({ text }) => !text.startsWith('-'))
  switch (verb) {
    case 'remote':
      return /^(?:|-v|--verbose)$/.test(first) ? rest.length === 0 : first === 'get-url' && isRemoteLook(rest)
    case 'stash':
      return first === 'list' || first === 'show'
    case 'worktree':
      return first === 'list'
    case 'submodule':
      return first === 'status' && isBare
    case 'notes':
      return first === 'list' || first === 'show'
    case 'bisect':
      return first === 'log'
    case 'symbolic-ref':
      return isSymbolicLook(first, rest)
    default:
      return false
  }
}

/** `get-url NAME`, with options that only select the output. */
function isRemoteLook(rest: readonly Field[]): boolean {
  const names = rest.filter(({ text }) => !/^--(?:push|all)$/.test(text))
  return names.length === 1 && /^[^-\0]/.test(names[0]?.text ?? '')
}

/** With one name it shows the reference; with a second one it changes it. */
function isSymbolicLook(first: string, rest: readonly Field[]): boolean {
  const words = [first, ...rest.map(({ text }) => text)]
  const names = words.filter((text) => !/^(?:--short|-q|--quiet)$/.test(text))
  return names.length === 1 && /^[^-\0]/.test(names[0] ?? '')
}

function lookInside(call: Call, verb: string, rest: readonly Field[]): Stream {
  const log = readers.get('log')
  if ((verb === 'stash' || verb === 'notes' || verb === 'worktree') && log !== undefined) {
    const words = rest.filter(
      ({ text }) => !(verb === 'worktree' && /^(?:--porcelain|-v|-z|--verbose)$/.test(text)),
    )
    return log({ ...call, args: words.filter(({ text }) => !/^stash(?:@|$)/.test(text)) })
  }
  return ANYTHING
}

/** Files whose content becomes part of the history. */
const MESSAGE = '-F:read -m: --file:read --message: --cleanup:'

const CHANGES: Readonly<Record<string, OptionTable>> = {
  commit: optionTable(
    `-apsnveqoiz -C: -c: -t:read -u? -S? ${MESSAGE} --template:read --pathspec-from-file:read --author: --date: --fixup: --squash:
    --trailer: --reuse-message: --reedit-message:`,
  ),
  tag: optionTable(`-asfdve -u: ${MESSAGE} --local-user: --trailer:`),
  notes: optionTable(`-fq -C: -c: ${MESSAGE} --reuse-message: --reedit-message: --ref:`),
  merge: optionTable(`-envq -s: -X: -S? ${MESSAGE} --strategy: --strategy-option: --into-name:`),
  rm: optionTable(
    '-f -n -r -q --cached --force --dry-run --quiet --ignore-unmatch --sparse --pathspec-from-file:read',
  ),
  mv: optionTable('-f -k -n -v --force --dry-run --verbose --sparse'),
  restore: optionTable(
    '-s: -p -W -S -q --source: --staged --worktree --ours --theirs --merge --conflict: --overlay --patch --quiet --pathspec-from-file:read',
  ),
  checkout: optionTable(
    '-b: -B: -f -t -l -d -q -m -p --ours --theirs --track? --detach --orphan: --force --merge --patch --conflict: --quiet --guess',
  ),
  clean: optionTable('-d -f -i -n -q -x -X -e: --force --interactive --dry-run --quiet --exclude:'),
  archive: optionTable(
    '-l -v -o:write -0123456789 --output:write --format: --prefix: --remote: --exec: --worktree-attributes --add-file:copy',
  ),
  'format-patch': optionTable('-o:folder --output-directory:folder --stdout -n -N -s'),
  stash: optionTable(
    '-p -k -u -a -q -S -m: --patch --keep-index --include-untracked --all --staged --message:',
  ),
  bundle: optionTable('--all'),
  config: optionTable(
    '-f:write --file:write -z -e --global --local --system --worktree --add --unset --unset-all --replace-all --blob: --type: --bool --int --path',
  ),
  diff: optionTable('--output:write'),
  apply: optionTable('--directory: -p: -C: --check -R --index --cached --exclude: --include:'),
  'update-index': optionTable(
    '--add --remove --force-remove --refresh --cacheinfo --chmod: --assume-unchanged --skip-worktree',
  ),
  switch: optionTable(
    '-c: -C: -d -f -m -q -t --create: --force-create: --detach --discard-changes --force --merge --conflict: --quiet --orphan: --guess --track?',
  ),
  reset: optionTable(
    '-q -p -N --soft --mixed --hard --merge --keep --quiet --patch --pathspec-from-file:read',
  ),
  init: optionTable('-q --bare --template: --separate-git-dir: -b: --initial-branch: --shared?'),
}

function judgeChange(call: Call, verb: string): void {
  const { context, args } = call
  const table = ownEntry(CHANGES, verb)
  if (table === undefined) return
  const given = readArguments(table, args)
  for (const { role, value } of given.options) if (value !== null) applyRole(call, role, value)
  if (given.has('dry-run') || (verb !== 'archive' && given.has('n'))) return
  const isIndexOnly =
    given.has('cached') ||
    (given.has('staged', 'S') && !given.has('worktree', 'W')) ||
    (verb === 'reset' && !given.has('hard', 'merge', 'keep'))
  if (isIndexOnly) return
  const paths = given.operands
  if (verb === 'rm' || verb === 'clean') {
    for (const path of paths) context.access('delete', path, { isRecursive: given.has('r', 'd') })
  } else if (verb === 'mv') {
    paths.forEach((path, index) => context.access(index < paths.length - 1 ? 'move' : 'write', path))
  } else if (RESTORING.has(verb)) {
    judgeRestore(call, verb, given)
  }
}

/** Commands that the arguments of git name. */
function judgeRuns(call: Call, verb: string): void {
  const { args } = call
  args.forEach((field, index) => {
    const next = args[index + 1]
    const inline =
      /^(?:--exec|--tree-filter|--index-filter|--msg-filter|--env-filter|--commit-filter|--extcmd|--upload-pack|--receive-pack)=/.exec(
        field.text,
      )?.[0]
    if (inline !== undefined) applyRole(call, 'shell', tail(field, inline.length))
    else if (RUN_OPTIONS.test(field.text) && next !== undefined && isRunVerb(verb, field.text))
      applyRole(call, 'shell', next)
    else if (/^-x./.test(field.text) && (verb === 'rebase' || verb === 'difftool'))
      applyRole(call, 'shell', tail(field, 2))
    else if (field.text.startsWith('ext::')) applyRole(call, 'shell', tail(field, 5))
    else if (/^(?:-c|--config)$/.test(field.text) && next !== undefined && verb === 'clone')
      judgeSetting(call, next)
  })
  const [first, ...rest] = args
  if (verb === 'bisect' && first?.text === 'run')
    call.context.inSubshell(() => call.context.runWords(rest, call.span))
  if (verb === 'submodule' && first?.text === 'foreach') {
    const words = rest.filter(({ text }) => text !== '--recursive' && text !== '-q')
    applyRole(call, 'shell', literal(words.map(({ text }) => text).join(' '), call.span))
  }
  if (verb === 'config' && args.length >= 2) {
    const at = args.findIndex(({ text }) => COMMAND_SETTINGS.test(text))
    const value = args[at + 1]
    if (at !== -1 && value !== undefined) {
      const mark = /^\s*!/.exec(value.text)?.[0] ?? ''
      if (mark !== '' || !/^alias\./i.test(args[at]?.text ?? ''))
        applyRole(call, 'shell', tail(value, mark.length))
    }
  }
}

const RUN_OPTIONS =
  /^(?:-x|--exec|--extcmd|--tree-filter|--index-filter|--msg-filter|--env-filter|--commit-filter|--upload-pack|-u)$/

function isRunVerb(verb: string, option: string): boolean {
  if (option === '-x' || option === '--exec') return verb === 'rebase' || verb === 'difftool'
  if (option === '-u') return verb === 'clone' || verb === 'fetch-pack'
  return true
}
