/** The name under which git stores a text. */

import { createHash } from 'node:crypto'

export function blobId(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
}
