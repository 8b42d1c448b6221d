/**
 * The TLS certificate of this machine, signed by an authority of its own. Its files are in the folder `tls` of the home;
 * keys have mode 0600 and are never served or backed up.
 */

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAuthority, createKeyPair, createLeaf } from '../lib/x509/certificate.js'

export interface TlsFiles {
  readonly folder: string
  readonly authority: string
  readonly authorityKey: string
  readonly certificate: string
  readonly key: string
}

export interface TlsState {
  /** Names and addresses that the certificate is for. */
  readonly hosts: readonly string[]
  readonly validTo: string
  /** SHA-256 of the authority's certificate, to compare on a phone. */
  readonly fingerprint: string
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Browsers accept at most 398 days. */
const LEAF_MS = 390 * DAY_MS
const AUTHORITY_MS = 3_650 * DAY_MS
/** A certificate is renewed at a start of the daemon when less than this is left. */
const RENEW_MS = 60 * DAY_MS
/** Always among the hosts, so that no kind of name is without a limit. */
const ALWAYS = ['localhost', '127.0.0.1', '::1']

export function tlsFiles(home: string): TlsFiles {
  const folder = join(home, 'tls')
  return {
    folder,
    authority: join(folder, 'ca.pem'),
    authorityKey: join(folder, 'ca-key.pem'),
    certificate: join(folder, 'cert.pem'),
    key: join(folder, 'key.pem'),
  }
}

/** Creates a new authority and certificate. Devices that trusted the previous authority have to trust this one. */
export function createTls(home: string, name: string, hosts: readonly string[], now: number): TlsState {
  const files = tlsFiles(home)
  const all = [...new Set([...hosts, ...ALWAYS])]
  const authority = createAuthority(`Signalbox on ${name}`, all, {
    from: now - HOUR_MS,
    to: now + AUTHORITY_MS,
  })
  mkdirSync(files.folder, { recursive: true, mode: 0o700 })
  writeKey(files.authorityKey, authority.privateKey)
  writeWhole(files.authority, authority.certificate, 0o644)
  issueLeaf(files, name, all, now)
  return readTls(home) ?? unreadable(files)
}

/** Null: there is none. */
export function readTls(home: string): TlsState | null {
  const files = tlsFiles(home)
  if (!existsSync(files.authority) || !existsSync(files.certificate)) return null
  const leaf = new X509Certificate(readFileSync(files.certificate))
  return {
    hosts: hostsOf(leaf),
    validTo: new Date(leaf.validTo).toISOString(),
    fingerprint: new X509Certificate(readFileSync(files.authority)).fingerprint256,
  }
}

/** The certificate of the authority, which is public; null: there is none. */
export function readAuthority(home: string): Buffer | null {
  const { authority } = tlsFiles(home)
  return existsSync(authority) ? readFileSync(authority) : null
}

/** Renews the certificate if it ends soon. Devices need not do anything: the authority stays. Whether it did. */
export function renewTls(home: string, now: number): boolean {
  const files = tlsFiles(home)
  const state = readTls(home)
  if (!state || Date.parse(state.validTo) - now > RENEW_MS || !existsSync(files.authorityKey)) return false
  const [name = 'localhost'] = state.hosts
  issueLeaf(files, name, state.hosts, now)
  return true
}

/** Whether there was any. */
export function removeTls(home: string): boolean {
  const { folder } = tlsFiles(home)
  const existed = existsSync(folder)
  rmSync(folder, { recursive: true, force: true })
  return existed
}

function issueLeaf(files: TlsFiles, name: string, hosts: readonly string[], now: number): void {
  const authority = {
    certificate: readFileSync(files.authority, 'utf8'),
    privateKey: createPrivateKey(readFileSync(files.authorityKey)),
    name: commonName(readFileSync(files.authority)),
  }
  const known = existsSync(files.key) ? createPrivateKey(readFileSync(files.key)) : null
  const privateKey = known ?? createKeyPair().privateKey
  const validity = { from: now - HOUR_MS, to: now + LEAF_MS }
  const leaf = createLeaf(authority, { name, hosts, publicKey: createPublicKey(privateKey), validity })
  if (!known) writeKey(files.key, privateKey)
  writeWhole(files.certificate, leaf, 0o644)
}

function hostsOf(leaf: X509Certificate): string[] {
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .map((entry) => entry.replace(/^(?:DNS|IP Address):/, ''))
    .map((host) => (host.includes(':') ? shortAddress(host) : host))
}

/** As users write it: `::1` rather than `0:0:0:0:0:0:0:1`. */
function shortAddress(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function commonName(certificate: Buffer): string {
  const parts = new X509Certificate(certificate).subject.split('\n')
  return parts.find((part) => part.startsWith('CN='))?.slice(3) ?? 'Signalbox'
}

function writeKey(path: string, key: KeyObject): void {
  writeWhole(path, String(key.export({ type: 'pkcs8', format: 'pem' })), 0o600)
}

/** Written beside and put in place as a whole. */
function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}

function unreadable({ folder }: TlsFiles): never {
  throw new Error(`Cannot read the files in ${folder}.`)
}
