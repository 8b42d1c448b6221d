/** Splits a stream of bytes into lines. A line that its sender has not finished is never passed on. */

import { StringDecoder } from 'node:string_decoder'

export function createLineSplitter(onLine: (line: string) => void): (data: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let unfinished = ''
  return (data) => {
    const [first = '', ...more] = decoder.write(data).split('\n')
    if (more.length === 0) {
      unfinished += first
      return
    }
    const lines = [unfinished + first, ...more]
    unfinished = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}
