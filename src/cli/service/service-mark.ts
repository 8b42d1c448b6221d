/** Marks a file as written by `service install`, so that a file that was edited, or is not ours, is recognised. */

import { digest } from '../../lib/digest.js'
import { ServiceSpec } from './service-spec.js'

const SPEC = 'signalbox-service: '
const CHECKSUM = 'signalbox-checksum: '
const LINE = /signalbox-checksum: [0-9a-f]{64}/

/** A line for `sealText`, in the comment syntax of the file. */
export const CHECKSUM_LINE = `${CHECKSUM}${'0'.repeat(64)}`

/** One line. Without a hyphen, since two of them would end a comment in XML. */
export function specLine(spec: ServiceSpec): string {
  return `${SPEC}${JSON.stringify(spec).replaceAll('-', String.raw`\u002d`)}`
}

/** Puts the checksum of a text into it. The text has `CHECKSUM_LINE` in one place. */
export function sealText(text: string): string {
  return text.replace(CHECKSUM_LINE, `${CHECKSUM}${digest(text)}`)
}

export type SealState = 'sealed' | 'edited' | 'foreign'

/** Whether a text is as it was sealed. */
export function sealOf(text: string): SealState {
  const [line] = LINE.exec(text) ?? []
  if (line === undefined) return 'foreign'
  const isSealed = line === `${CHECKSUM}${digest(text.replace(line, CHECKSUM_LINE))}`
  return isSealed ? 'sealed' : 'edited'
}

/** The values that a file was made from; null if it does not say, or was written by a version with another format. */
export function specOf(text: string): ServiceSpec | null {
  const line = text.split('\n').find((one) => one.includes(SPEC)) ?? ''
  const json = line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)
  try {
    return ServiceSpec.parse(JSON.parse(json))
  } catch {
    return null
  }
}
