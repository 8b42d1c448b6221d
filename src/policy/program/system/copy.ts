/** Programs with sources and a destination: copies, moves, links. */

import { reason } from '../../../protocol/reason/reason.js'
import { isKnown, nameOf, UNKNOWN, withoutEnd } from '../../file/path.js'
import { type Field, literal, tail } from '../../shell/field.js'
import type { Call, Handler } from '../handler.js'
import { applyRole } from '../handler.js'
import type { JudgeContext } from '../judge-context.js'
import { type Arguments, optionTable, readArguments } from '../option.js'

const COPY = optionTable(
  `-abdfiHlLnPpRrsTuvxZDC -S: -t: -m: -o: -g: --archive --attributes-only --backup? --copy-contents --force
  --interactive --link --dereference --no-clobber --no-dereference --preserve? --no-preserve: --parents --recursive
  --reflink? --remove-destination --sparse: --strip-trailing-slashes --symbolic-link --suffix: --target-directory:
  --no-target-directory --update? --verbose --one-file-system --context? --mode: --owner: --group: --directory
  --strip --strip-program:shell --compare --preserve-timestamps --symbolic --relative --logical --physical
  --no-copy --exchange --debug --help --version`,
)

export const copy: Handler = (call) => {
  const { context, name, args, span } = call
  const given = readArguments(COPY, args)
  context.ask('write', reason('program.writes', { name }), span)
  const program = given.valueOf('strip-program')
  if (program !== null) applyRole(call, 'shell', program)
  if (name === 'install' && given.has('d', 'directory')) {
    for (const field of given.operands) context.access('make', field)
    return { text: '', taint: 0, names: null }
  }
  const { sources, destinations } = sortOperands(context, given, name === 'ln')
  const isLink = name === 'ln' || given.has('l', 'link') || given.has('symbolic-link')
  for (const source of sources) judgeSource(call, given, source, isLink)
  for (const { field, source } of destinations) {
    context.access('write', field)
    note(context, call, given, field, source)
  }
  return { text: '', taint: 0, names: null }
}

function judgeSource({ context, name }: Call, given: Arguments, source: Field, isLink: boolean): void {
  if (name === 'mv') context.access('move', source)
  // A symlink alone does not reveal content, but a program that reads it reads the file.
  else if (isLink && given.has('s', 'symbolic', 'symbolic-link')) context.access('read', source)
  else context.access('copy', source, { isRecursive: given.has('r', 'R', 'a', 'recursive', 'archive') })
}

interface Destination {
  field: Field
  source: Field | null
}

function sortOperands(
  context: JudgeContext,
  given: Arguments,
  mayStandAlone: boolean,
): { sources: readonly Field[]; destinations: Destination[] } {
  const folder = given.valueOf('t', 'target-directory')
  if (folder !== null) {
    return { sources: given.operands, destinations: given.operands.map((source) => inFolder(folder, source)) }
  }
  const sources = given.operands.length > 1 ? given.operands.slice(0, -1) : given.operands
  const last = given.operands.length > 1 ? given.operands.at(-1) : undefined
  if (last === undefined) {
    const here = literal('.', sources[0]?.span ?? [0, 0])
    return { sources, destinations: mayStandAlone ? sources.map((source) => inFolder(here, source)) : [] }
  }
  const isFolder = sources.length > 1 || isSurelyFolder(context, last)
  const alone: Destination = { field: last, source: sources[0] ?? null }
  return {
    sources,
    destinations: isFolder ? [alone, ...sources.map((source) => inFolder(last, source))] : [alone],
  }
}

/** Named like a folder, or one now. */
function isSurelyFolder(context: JudgeContext, field: Field): boolean {
  if (/(?:^|\/)\.{0,2}$/.test(field.text)) return true
  return context
    .targets(field)
    .some(({ real }) => real !== null && context.environment.fs.list(real) !== null)
}

export function inFolder(folder: Field, source: Field): Destination {
  const name = nameOf(withoutEnd(source.text, '/'))
  const text = `${folder.text.replace(/\/$/, '')}/${name}`
  const pattern =
    source.pattern === null && folder.pattern === null
      ? null
      : `${(folder.pattern ?? folder.text).replace(/\/$/, '')}/${nameOf(source.pattern ?? source.text)}`
  return {
    field: { ...folder, text: folder.text === '/' ? `/${name}` : text, pattern, isTree: false },
    source,
  }
}

/** Records the new name, so that running or deleting it later is understood. */
function note(
  context: JudgeContext,
  { name }: Call,
  given: Arguments,
  field: Field,
  source: Field | null,
): void {
  if (source === null || !isKnown(source.text) || source.pattern !== null) return
  for (const { path, isKnown: known } of context.targets(field)) {
    if (!known) continue
    const [origin] = context.targets(source)
    const before = origin === undefined ? undefined : context.state.files.get(origin.path)
    if (name === 'ln' && given.has('s', 'symbolic'))
      context.state.files.set(path, { kind: 'link', target: source.text })
    else context.state.files.set(path, before ?? { kind: 'copy', of: origin?.path ?? source.text })
  }
}

const RSYNC = optionTable(
  `-avzrRulLkKHpEAXogDtOJnWxhPicSbqy0CFIm46 -e:shell -T:folder -f: -B: -M: --rsh:shell --rsync-path:shell
  --temp-dir:folder --exclude: --include: --exclude-from:read --include-from:read --files-from:read --filter:
  --bwlimit: --log-file:write --password-file:read --backup-dir: --suffix: --compare-dest: --copy-dest: --link-dest:
  --partial-dir: --out-format: --max-size: --min-size: --chmod: --chown: --timeout: --port: --delete --delete-before
  --delete-during --delete-delay --delete-after --delete-excluded --del --remove-source-files --dry-run --archive
  --verbose --recursive --compress --progress --stats --checksum --update --inplace --append --force --existing
  --ignore-existing --info: --contimeout: --sockopts: --block-size: --iconv: --write-batch:write --read-batch:read`,
)

export const rsync: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(RSYNC, args)
  context.ask('write', reason('program.writes', { name: 'rsync' }), span)
  for (const { role, value } of given.options) if (value !== null) applyRole(call, role, value)
  const isMirror = given.options.some(({ name }) => /^del(?:ete)?(?:-|$)/.test(name))
  transfer(call, given.operands, {
    isMove: given.has('remove-source-files'),
    isMirror,
    isRecursive: given.has('r', 'a', 'recursive', 'archive'),
  })
  return { text: null, taint: 0, names: null }
}

const SCP = optionTable('-346ABCOpqrRTv -c: -D: -F:read -i:read -J: -l: -o: -P: -S:shell -X: +number')

export const scp: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(SCP, args)
  context.ask('network', reason('network.transfers', { name: 'scp' }), span)
  for (const { role, value } of given.options) if (value !== null) applyRole(call, role, value)
  for (const { name, value } of given.options) if (name === 'o' && value !== null) judgeSshOption(call, value)
  transfer(call, given.operands, { isMove: false, isMirror: false, isRecursive: given.has('r') })
  return { text: null, taint: 0, names: null }
}

/** `-o ProxyCommand=…` and similar options name programs to run. */
export function judgeSshOption(call: Call, value: Field): void {
  const name = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)\s*[= ]\s*/i.exec(
    value.text,
  )?.[0]
  if (name !== undefined) applyRole(call, 'shell', tail(value, name.length))
}

interface Transfer {
  isMove: boolean
  isMirror: boolean
  isRecursive: boolean
}

function transfer(
  { context }: Call,
  operands: readonly Field[],
  { isMove, isMirror, isRecursive }: Transfer,
): void {
  const last = operands.at(-1)
  const sources = operands.length > 1 ? operands.slice(0, -1) : operands
  const to = last === undefined || operands.length < 2 ? null : last
  const remote = to !== null && remotePath(to) !== null
  for (const source of sources) {
    if (remotePath(source) !== null) continue
    context.access(remote ? 'send' : 'copy', source, { isRecursive })
    if (isMove) context.access('move', source)
  }
  if (to === null) return
  const place = remotePath(to) ?? to
  const isFolder = sources.length > 1 || isSurelyFolder(context, place)
  const names = isFolder ? sources.map((source) => inFolder(place, remotePath(source) ?? source).field) : []
  for (const field of [place, ...names]) {
    // A file on another machine is judged by its name alone.
    const judged = remote ? { ...field, text: `${UNKNOWN}/${field.text}` } : field
    context.access('write', judged)
  }
  if (isMirror && !remote) context.access('delete', place, { isRecursive: true })
}

/** `host:path`: the path on the other machine. */
function remotePath(field: Field): Field | null {
  const match = /^(?:[a-z]+:\/\/[^/]*\/?|[^\s/:]+::?)/i.exec(field.text)
  return match === null ? null : tail(field, match[0].length)
}
