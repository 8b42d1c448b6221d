import { createHash } from 'node:crypto'

/** SHA-256 in hexadecimal. */
export function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}
