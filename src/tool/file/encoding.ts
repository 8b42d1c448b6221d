/** How the bytes of a file are read as text, and written again. Unchanged text is written back byte for byte. */

import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'

type StrictEncoding = Exclude<Encoding, 'latin1'>

/** Properties detected from the first bytes. `encoding` is null for binary data. */
export interface Start {
  encoding: StrictEncoding | null
  /** Bytes of the byte order mark. */
  bomBytes: number
}

/** Latin 1 is never found here: it is what text turns out to be when it is not UTF-8. */
export function readStart(bytes: Uint8Array): Start {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return { encoding: 'utf-8', bomBytes: 3 }
  if (startsWith(bytes, [0xff, 0xfe])) return { encoding: 'utf-16le', bomBytes: 2 }
  if (startsWith(bytes, [0xfe, 0xff])) return { encoding: 'utf-16be', bomBytes: 2 }
  return { encoding: bytes.includes(0) ? null : 'utf-8', bomBytes: 0 }
}

export interface DecodedText {
  text: string
  encoding: Encoding
  hasBom: boolean
}

/** Null for what is not text. */
export function decode(bytes: Uint8Array): DecodedText | null {
  const { encoding, bomBytes } = readStart(bytes)
  if (encoding === null) return null
  const hasBom = bomBytes > 0
  const body = bytes.subarray(bomBytes)
  const text = decodeStrictly(body, encoding)
  if (text !== null) return text.includes('\0') ? null : { text, encoding, hasBom }
  if (encoding !== 'utf-8' || hasBom) return null
  return { text: Buffer.from(body).toString('latin1'), encoding: 'latin1', hasBom }
}

/** Null if the bytes are not what they should be. */
export function decodeStrictly(bytes: Uint8Array, encoding: StrictEncoding): string | null {
  if (encoding === 'utf-8' && isAscii(bytes)) return Buffer.from(bytes).toString('latin1')
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Null if the text has characters that the encoding does not know. */
export function encode({ text, encoding, hasBom }: DecodedText): Uint8Array | null {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(hasBom ? `\ufeff${text}` : text)
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le')
    case 'utf-16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
    case 'latin1':
      return /[^\0-\xff]/.test(text) ? null : Buffer.from(text, 'latin1')
  }
}

const IMAGES = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
] as const

/** The image format, by its magic bytes. */
export function imageTypeOf(
  bytes: Uint8Array,
): 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | null {
  const found = IMAGES.find(([, magic]) => startsWith(bytes, magic))
  if (found) return found[0]
  const isWebp = startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && latin1(bytes, 8, 12) === 'WEBP'
  return isWebp ? 'image/webp' : null
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1')
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}
