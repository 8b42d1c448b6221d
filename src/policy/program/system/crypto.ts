/** Encryption: decrypted output is unseen by the user, and written output may be a key. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Field, Taint } from '../../shell/field.js'
import type { Handler } from '../handler.js'
import { applyRole, inputOf } from '../handler.js'
import { optionTable, readArguments } from '../option.js'

const OPENSSL_READS =
  /^-(?:in|inkey|key|cert|CAfile|CA|CAkey|certfile|config|extfile|sigfile|signature|verify|prverify|rand|kfile|pass|passin)$/
const OPENSSL_WRITES = /^-(?:out|keyout|pubout|writerand|CAserial|outform-file|sess_out|keylogfile)$/

const openssl: Handler = (call) => {
  const { context, args, span } = call
  const [verb] = args
  context.ask('program', reason('program.crypto', { name: 'openssl' }), span)
  const value = (at: number): Field | undefined => args[at + 1]
  const reads = args.flatMap(({ text }, at) => (OPENSSL_READS.test(text) ? (value(at) ?? []) : []))
  const files = reads.filter(({ text }) => !/^(?:pass|env|fd|stdin):?/.test(text))
  for (const field of files) context.access('read', field)
  const content = inputOf(call, files)
  args.forEach(({ text }, at) => {
    const field = value(at)
    if (OPENSSL_WRITES.test(text) && text !== '-pubout' && field !== undefined)
      context.access('write', field, { content })
  })
  const isNetwork = /^(?:s_client|s_server|s_time|ocsp)$/.test(verb?.text ?? '')
  const isDecoding =
    args.some(({ text }) => /^-(?:d|decrypt|verifyrecover)$/.test(text)) || verb?.text === 'base64'
  if (isNetwork) {
    context.ask('network', reason('network.uses', { name: 'openssl' }), span)
    const incoming = context.stdin?.taint ?? 0
    if (incoming & Taint.secret)
      context.deny('protected-copy', reason('network.leaks', { name: 'openssl' }), span)
    if (incoming & Taint.shell)
      context.deny('reverse-shell', reason('network.reverse-shell', { name: 'openssl' }), span)
  }
  const isSaved = args.some(({ text }) => text === '-out')
  if (isSaved) return { text: '', taint: 0, names: null }
  return { text: null, taint: content.taint | (isDecoding || isNetwork ? Taint.unseen : 0), names: null }
}

const GPG = optionTable(
  `-abcdeijknqstvz -o:write -r: -u: -N: --output:write --recipient: --local-user: --decrypt --encrypt --sign --symmetric
  --armor --batch --yes --passphrase: --passphrase-file:read --passphrase-fd: --homedir: --keyserver: --export
  --export-secret-keys --import --list-keys --verify --clearsign --detach-sign --no-tty --quiet --trust-model:
  --keyring:write --status-fd: --pinentry-mode: -p -i -R: --identity: --recipients-file:`,
)

const gpg: Handler = (call) => {
  const { context, name, args, span } = call
  const given = readArguments(GPG, args)
  context.ask('program', reason('program.encrypts', { name }), span)
  const output = given.valueOf('o', 'output')
  const isDecoding = given.has('d', 'decrypt')
  const isCopying = given.has('c', 'e', 's', 'symmetric', 'encrypt', 'sign', 'clearsign') && !isDecoding
  for (const field of given.operands)
    context.access(isCopying && output?.text !== '-' ? 'copy' : 'read', field)
  const content = inputOf(call, given.operands)
  for (const { role, value } of given.options)
    if (value !== null && role !== 'text') applyRole(call, role, value, content)
  return { text: null, taint: content.taint | (isDecoding ? Taint.unseen : 0), names: null }
}

const KEYGEN = optionTable(
  '-AaBceghHikKlLpqQUvyX -b: -C: -D: -E: -f: -F: -I: -J: -m: -M: -n: -N: -O: -P: -R: -r: -s: -t: -V: -w: -Y: -Z: -z:',
)

const sshKeygen: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(KEYGEN, args)
  context.ask('program', reason('program.keys', { name: 'ssh-keygen' }), span)
  const file = given.valueOf('f')
  const isLooking = given.has('y', 'l', 'F', 'B', 'L', 'e', 'Q', 'Y', 'H') && !given.has('p', 'R')
  if (file !== null) context.access(isLooking ? 'read' : 'write', file)
  return {
    text: null,
    taint: file !== null && given.has('y', 'e') && context.isProtected(file) ? Taint.secret : 0,
    names: null,
  }
}

export const CRYPTO: Readonly<Record<string, Handler>> = {
  openssl,
  gpg,
  gpg2: gpg,
  age: gpg,
  rage: gpg,
  'ssh-keygen': sshKeygen,
}
