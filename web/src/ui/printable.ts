import { printable as visible } from '../../../src/protocol/index.js'

/** Makes control characters and bidi overrides visible, so that a text cannot reorder its surroundings. */
export function printable(text: string): string {
  return visible(text.replaceAll('\r\n', '\n'))
}
