import { printable as visible } from '../../../src/protocol/index.js'

/** Text that can be shown without turning what stands around it upside down. */
export function printable(text: string): string {
  return visible(text.replaceAll('\r\n', '\n'))
}
