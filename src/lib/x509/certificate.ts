/**
 * Certificates of an authority that is used on one machine only: critical name constraints limit it to the names and
 * addresses of that machine, so that a stolen key is worth nothing elsewhere. ECDSA with P-256.
 */

import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { isIP } from 'node:net'
import * as der from './der.js'

export interface KeyPair {
  privateKey: KeyObject
  publicKey: KeyObject
}

export function createKeyPair(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}

export interface Authority {
  /** In PEM. */
  certificate: string
  privateKey: KeyObject
  name: string
}

export interface Validity {
  from: number
  to: number
}

const OID = {
  signature: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const

/** Tags of names: RFC 5280, GeneralName. */
const [EMAIL, DNS, URI, ADDRESS] = [1, 2, 6, 7]

/** A self-signed certificate for signing certificates of these hosts, names or addresses, and of no others. */
export function createAuthority(
  name: string,
  hosts: readonly string[],
  validity: Validity,
): Authority & KeyPair {
  const keys = createKeyPair()
  const certificate = issue({
    subject: name,
    publicKey: keys.publicKey,
    issuer: { name, privateKey: keys.privateKey },
    validity,
    extensions: [
      extension(OID.basicConstraints, der.sequence(der.boolean(true), der.integer(Buffer.from([0]))), true),
      // keyCertSign and cRLSign.
      extension(OID.keyUsage, der.bits(Buffer.from([0b0000_0110]), 1), true),
      extension(OID.extendedKeyUsage, der.sequence(der.objectId(OID.serverAuth))),
      extension(OID.subjectKey, der.octets(keyIdOf(keys.publicKey))),
      extension(OID.nameConstraints, constraints(hosts), true),
    ],
  })
  return { ...keys, certificate, name }
}

/** A server certificate for these hosts. */
export function createLeaf(
  authority: Authority,
  {
    name,
    hosts,
    publicKey,
    validity,
  }: { name: string; hosts: readonly string[]; publicKey: KeyObject; validity: Validity },
): string {
  const authorityKey = createPublicKey(authority.certificate)
  return issue({
    subject: name,
    publicKey,
    issuer: authority,
    validity,
    extensions: [
      extension(OID.basicConstraints, der.sequence(), true),
      // digitalSignature.
      extension(OID.keyUsage, der.bits(Buffer.from([0b1000_0000]), 7), true),
      extension(OID.extendedKeyUsage, der.sequence(der.objectId(OID.serverAuth))),
      extension(OID.alternativeName, der.sequence(...hosts.map(nameOf))),
      extension(OID.subjectKey, der.octets(keyIdOf(publicKey))),
      extension(OID.authorityKey, der.sequence(der.taggedValue(0, keyIdOf(authorityKey)))),
    ],
  })
}

interface Issue {
  subject: string
  publicKey: KeyObject
  issuer: { name: string; privateKey: KeyObject }
  validity: Validity
  extensions: readonly Buffer[]
}

function issue({ subject, publicKey, issuer, validity, extensions }: Issue): string {
  const algorithm = der.sequence(der.objectId(OID.signature))
  const body = der.sequence(
    der.tagged(0, der.integer(Buffer.from([2]))),
    der.integer(randomBytes(16)),
    algorithm,
    distinguishedName(issuer.name),
    der.sequence(der.time(validity.from), der.time(validity.to)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der.tagged(3, der.sequence(...extensions)),
  )
  const signature = sign('sha256', body, issuer.privateKey)
  return pem(der.sequence(body, algorithm, der.bits(signature)))
}

function distinguishedName(commonName: string): Buffer {
  return der.sequence(der.set(der.sequence(der.objectId(OID.commonName), der.utf8(commonName))))
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return der.sequence(der.objectId(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(value))
}

/**
 * Fail closed: a kind of name without a permitted entry would be unlimited, so that names of mail and of addresses get
 * one that cannot exist.
 */
function constraints(hosts: readonly string[]): Buffer {
  const none = Buffer.from('none.invalid')
  const subtrees = [
    ...hosts.map((host) => (isIP(host) === 0 ? nameOf(host) : der.taggedValue(ADDRESS, masked(host)))),
    der.taggedValue(EMAIL, none),
    der.taggedValue(URI, none),
  ]
  return der.sequence(der.tagged(0, ...subtrees.map((name) => der.sequence(name))))
}

function nameOf(host: string): Buffer {
  return isIP(host) === 0 ? der.taggedValue(DNS, Buffer.from(host)) : der.taggedValue(ADDRESS, bytesOf(host))
}

/** This very address: all bits of the mask are set. */
function masked(address: string): Buffer {
  const bytes = bytesOf(address)
  return Buffer.concat([bytes, Buffer.alloc(bytes.length, 0xff)])
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
  const [front, back] = [words(head), words(tail ?? '')]
  const gap = Array<number>(tail === undefined ? 0 : 8 - front.length - back.length).fill(0)
  return Buffer.from([...front, ...gap, ...back].flatMap((word) => [word >> 8, word & 0xff]))
}

function keyIdOf(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
