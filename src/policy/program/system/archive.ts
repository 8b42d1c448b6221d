/** Archives and compression: packing copies files, extracting writes files. */

import { reason } from '../../../protocol/reason/reason.js'
import { UNKNOWN } from '../../file/path.js'
import { type Field, type Stream, Taint, tail } from '../../shell/field.js'
import { applyRole, type Handler } from '../handler.js'
import { type Arguments, optionTable, readArguments } from '../option.js'
import { inFolder } from './copy.js'

const TAR = optionTable(
  `-cxtruAdvzjJZkmopPOsSWwlhBnaURMGi -f: -C: -T:read -X:read -I:shell -b: -F:shell -g:write -K: -L: -N: -V: -H:
  --create --extract --get --list --append --update --concatenate --catenate --delete --diff --compare --file:
  --directory: --files-from:read --exclude-from:read --exclude: --use-compress-program:shell --to-command:shell
  --checkpoint? --checkpoint-action: --info-script:shell --new-volume-script:shell --rsh-command:shell --rmt-command:shell
  --listed-incremental:write --index-file:write --remove-files --to-stdout --verbose --gzip --bzip2 --xz --zstd
  --transform: --xform: --strip-components: --owner: --group: --mode: --wildcards --overwrite --keep-old-files
  --one-top-level? --no-same-owner --numeric-owner --volno-file:write --auto-compress --dereference --absolute-names
  --one-file-system --totals --warning: --format: --sort: --mtime: --anchored --no-recursion --null`,
)

const tar: Handler = (call) => {
  const { context, name, span } = call
  const given = readArguments(TAR, withDash(call.args))
  if (!isListing(given)) context.ask('write', reason('program.archives', { name }), span)
  for (const { role, value, name: option } of given.options) {
    if (value !== null && role !== 'text') applyRole(call, role, value)
    const run = /^exec=/.exec(value?.text ?? '')?.[0]
    if (option === 'checkpoint-action' && value !== null && run !== undefined)
      applyRole(call, 'shell', tail(value, run.length))
  }
  const archive = given.valueOf('f', 'file')
  const isExtract = given.has('x', 'extract', 'get')
  const isList = given.has('t', 'list', 'd', 'diff', 'compare')
  const folder = given.valueOf('C', 'directory')
  const members =
    folder === null ? given.operands : given.operands.map((field) => inFolderText(folder, field))
  if (isExtract || isList) {
    if (archive !== null && archive.text !== '-') context.access('read', archive)
    const isPrinted = given.has('O', 'to-stdout')
    if (isExtract && !isPrinted) for (const member of members) context.access('write', member)
    if (isExtract && folder !== null && !isPrinted) context.access('write', somethingIn(folder))
    return { text: null, taint: isPrinted ? Taint.unseen : 0, names: null }
  }
  let taint = 0
  for (const member of members) {
    const isSecret = context.isProtected(member)
    if (isSecret) taint |= Taint.secret
    context.access(archive !== null && archive.text !== '-' ? 'copy' : 'read', member, { isRecursive: true })
    if (given.has('remove-files')) context.access('delete', member, { isRecursive: true })
  }
  const content: Stream = { text: null, taint, names: null }
  if (archive !== null && archive.text !== '-')
    context.access('write', archive, { content: { ...content, taint: 0 } })
  return content
}

/** `tar -tzf FILE`, with options that only select the listed names. A name with a colon is on another machine. */
function isListing({ options, unknown, doubtful, has, valueOf }: Arguments): boolean {
  const archive = valueOf('f', 'file')
  return (
    has('t', 'list') &&
    unknown.length + doubtful.length === 0 &&
    options.every(({ name }) => LISTS.has(name)) &&
    archive !== null &&
    /^[^:\0]+$/.test(archive.text)
  )
}

const LISTS = new Set(
  't v z j J Z f list file verbose gzip bzip2 xz zstd exclude wildcards anchored numeric-owner'.split(' '),
)

/** A file with an unknown name in a folder. */
function somethingIn(folder: Field): Field {
  return { ...folder, text: `${folder.text}/${UNKNOWN}`, pattern: null }
}

/** `tar czf a.tgz x`: the first word is a cluster of options without its dash. */
function withDash(args: readonly Field[]): readonly Field[] {
  const [first, ...rest] = args
  if (first === undefined || !/^[a-zA-Z]+$/.test(first.text)) return args
  const letters = Array.from(first.text)
  const taking = letters.filter((letter) => 'fCbXTIgKLNVHF'.includes(letter))
  const values = rest.slice(0, taking.length)
  const flags = letters.filter((letter) => !taking.includes(letter))
  const pairs = taking.flatMap((letter, index) => {
    const value = values[index]
    return value === undefined ? [] : [{ ...first, text: `-${letter}` }, value]
  })
  return [
    ...(flags.length > 0 ? [{ ...first, text: `-${flags.join('')}` }] : []),
    ...pairs,
    ...rest.slice(taking.length),
  ]
}

function inFolderText(folder: Field, field: Field): Field {
  return field.text.startsWith('/')
    ? field
    : {
        ...field,
        text: `${folder.text}/${field.text}`,
        pattern: field.pattern === null ? null : `${folder.text}/${field.pattern}`,
      }
}

const ZIP = optionTable(
  '-0123456789rjmquvyATDSXFlekoz -b: -i: -x: -n: -t: -P: -TT:shell --recurse-paths --move --unzip-command:shell --password: --exclude: --include:',
)

const zip: Handler = (call) => {
  const { context, span } = call
  const unzip = call.args.findIndex(({ text }) => text === '-TT' || text === '--unzip-command')
  const command = unzip === -1 ? undefined : call.args[unzip + 1]
  if (command !== undefined) applyRole(call, 'shell', command)
  const given = readArguments(
    ZIP,
    call.args.filter((_, index) => unzip === -1 || (index !== unzip && index !== unzip + 1)),
  )
  context.ask('write', reason('program.packs', { name: 'zip' }), span)
  const [archive, ...members] = given.operands
  let taint = 0
  for (const member of members) {
    const isPrinted = archive?.text === '-'
    if (context.isProtected(member)) taint |= Taint.secret
    context.access(isPrinted ? 'read' : 'copy', member, { isRecursive: given.has('r', 'recurse-paths') })
    if (given.has('m', 'move')) context.access('delete', member, { isRecursive: given.has('r') })
  }
  if (archive !== undefined && archive.text !== '-') context.access('write', archive)
  return { text: null, taint, names: null }
}

const UNZIP = optionTable('-acfjlnopqtuvzCDLMPVWXZ -d: -x: -P:')

const unzip: Handler = (call) => {
  const { context, span } = call
  const given = readArguments(UNZIP, call.args)
  const isList =
    given.options.every(({ name: option }) => /^[lvtzqZ]$/.test(option)) && given.has('l', 'v', 't', 'z', 'Z')
  if (!isList || given.unknown.length + given.doubtful.length > 0)
    context.ask('write', reason('program.unpacks', { name: 'unzip' }), span)
  const [archive, ...members] = given.operands
  if (archive !== undefined) context.access('read', archive)
  if (given.has('p', 'c')) return { text: null, taint: Taint.unseen, names: null }
  if (given.has('l', 't', 'v', 'z', 'Z')) return { text: null, taint: 0, names: null }
  const folder = given.valueOf('d')
  for (const member of members)
    context.access('write', folder === null ? member : inFolder(folder, member).field)
  if (folder !== null) context.access('write', somethingIn(folder))
  return { text: null, taint: 0, names: null }
}

const SEVEN = optionTable('-o: -p: -t: -m: -y -r -so -si -sdel -aoa')

const sevenZip: Handler = (call) => {
  const { context, name, span } = call
  const given = readArguments(SEVEN, call.args)
  context.ask('write', reason('program.archives', { name }), span)
  const [verb, archive, ...members] = given.operands
  const isAdding = /^[aud]$/.test(verb?.text ?? '')
  for (const member of members) context.access(isAdding ? 'copy' : 'write', member, { isRecursive: isAdding })
  if (archive !== undefined) context.access(isAdding ? 'write' : 'read', archive)
  const isPrinted = call.args.some(({ text }) => text === '-so')
  return { text: null, taint: isPrinted ? Taint.unseen : 0, names: null }
}

const GZIP = optionTable(
  `-0123456789cdfhklLnNqrtvVzeFZT? -S: -o:write -D:read --stdout --to-stdout --decompress --uncompress --keep --list --test
  --force --quiet --recursive --verbose --fast --best --suffix: --threads: --output:write --rm --long? --ultra --format:`,
)

/** `gzip file` replaces the file; `gzip -c file` prints. */
const gzip: Handler = (call) => {
  const { context, name, span } = call
  const given = readArguments(GZIP, call.args)
  const isReading = given.has('c', 'stdout', 'to-stdout', 't', 'test', 'l', 'list') || name.endsWith('cat')
  const isPlain = given.options.every(({ name: option }) => ONLY_PRINTS.test(option))
  if (!isReading || !isPlain || given.unknown.length + given.doubtful.length > 0)
    context.ask('write', reason('program.compresses', { name }), span)
  for (const { role, value } of given.options)
    if (value !== null && role !== 'text') applyRole(call, role, value)
  const isDecoding =
    given.has('d', 'decompress', 'uncompress') ||
    /^(?:un|gun|bun|.?zcat|xzcat|bzcat|lzcat|zstdcat)/.test(name)
  const isPrinting = given.has('c', 'stdout', 'to-stdout', 't', 'test', 'l', 'list') || name.endsWith('cat')
  let taint = context.stdin?.taint ?? 0
  for (const field of given.operands) {
    if (field.text === '-') continue
    if (isPrinting) {
      context.access('read', field)
      taint |= context.contentOf(field).taint
    } else if (isDecoding)
      context.access('write', { ...field, text: field.text.replace(/\.(?:gz|z|bz2|xz|lzma|zst|lz4|Z)$/, '') })
    else {
      context.access(given.has('k', 'keep') ? 'copy' : 'delete', field, {
        isRecursive: given.has('r', 'recursive'),
      })
    }
  }
  return { text: null, taint: taint | (isDecoding ? Taint.unseen : 0), names: null }
}

const ONLY_PRINTS =
  /^(?:[cdtlvqk0-9]|stdout|to-stdout|decompress|uncompress|test|list|verbose|quiet|keep|fast|best)$/

const CPIO = optionTable('-oipdvmuaBtnf0 -F: -E:read -H: -D: --create --extract --pass-through --file:')

const cpio: Handler = (call) => {
  const { context, span } = call
  const given = readArguments(CPIO, call.args)
  context.ask('write', reason('program.copies', { name: 'cpio' }), span)
  for (const field of context.stdin?.names ?? []) context.access('copy', field)
  return { text: null, taint: given.has('i') ? Taint.unseen : 0, names: null }
}

export const ARCHIVES: Readonly<Record<string, Handler>> = {
  tar,
  gtar: tar,
  bsdtar: tar,
  zip,
  unzip,
  '7z': sevenZip,
  '7za': sevenZip,
  '7zz': sevenZip,
  rar: sevenZip,
  unrar: sevenZip,
  cpio,
  pax: cpio,
  ...Object.fromEntries(
    `gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat lzma unlzma lzcat zstd unzstd zstdcat lz4 unlz4 lz4cat compress
    uncompress pigz unpigz pbzip2 brotli lzip lzop`
      .split(/\s+/)
      .map((name) => [name, gzip]),
  ),
}
