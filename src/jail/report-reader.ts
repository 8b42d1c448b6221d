/** Lines from a FIFO that many processes write to. Each line is shorter than what the kernel writes in one piece. */

import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'

export interface ReportReader {
  /** Idempotent. */
  close(): void
}

export function readReports(path: string, onLine: (line: string) => void): ReportReader {
  // Open for writing as well: otherwise it would end with the first writer.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd, readable: true, writable: false })
  let rest = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(-200)
    for (const line of lines) onLine(line)
  })
  socket.on('error', () => socket.destroy())
  // The daemon may end while it waits for reports.
  socket.unref()
  return { close: () => void socket.destroy() }
}
