/** The folder of one run: what the launcher reads from us, and by which it hears our answers. */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FifoPool } from './fifo-pool.js'

export interface RunFolder {
  readonly id: string
  /** The arguments of bubblewrap. They go in by a file: argv is readable for every user, and its size is limited. */
  writeArguments(words: readonly string[]): void
  answer(line: string): void
  /** Reports of the inside since the last call: that the command has begun, and in which folder it has ended. */
  told(): { hasBegun: boolean; folder: string | null }
  /** How much the command has written so far. */
  size(): number
  /** The first line that was written: where bubblewrap fails, it says why. */
  firstLine(): string
  /** Whether the output is short and without NUL, so that a shell can print it itself. */
  isShortText(): boolean
  /** The first process of the jail, as the host sees it; null before there is one. */
  firstProcess(): number | null
  /** Files that are open stay usable through their descriptors. Idempotent. */
  remove(): void
}

const MODE = { mode: 0o600 }

/** More than any path can have. */
const MAX_TOLD_BYTES = 8_192
const MAX_TEXT_BYTES = 256 * 1024

export async function makeRunFolder(parent: string, fifos: FifoPool, inside: string): Promise<RunFolder> {
  const id = randomBytes(12).toString('hex')
  const folder = join(parent, id)
  mkdirSync(folder, { mode: 0o700 })
  await fifos.take(join(folder, 'answers'))
  await fifos.take(join(folder, 'folder'))
  writeFileSync(join(folder, 'command'), inside, MODE)
  const output = join(folder, 'output')
  // A process that opens it for writing blocks until there is a reader.
  let end: number | null = openSync(join(folder, 'folder'), constants.O_RDONLY | constants.O_NONBLOCK)
  return {
    id,
    writeArguments(words) {
      writeFileSync(join(folder, 'args'), words.map((word) => `${word}\0`).join(''), MODE)
    },
    answer(line) {
      // Open for reading as well: a launcher that is gone must not block us, nor end us by a signal.
      const fd = openSync(join(folder, 'answers'), constants.O_RDWR | constants.O_NONBLOCK)
      try {
        writeSync(fd, `${line}\n`)
      } finally {
        closeSync(fd)
      }
    },
    told() {
      const text = end === null ? '' : drain(end)
      const [begun, ...rest] = text.split('\n')
      const path = rest.join('\n').replace(/\n$/, '')
      return { hasBegun: begun === '+', folder: path === '' ? null : path }
    },
    isShortText: () => statSync(output).size <= MAX_TEXT_BYTES && !readFileSync(output).includes(0),
    size: () => statSync(output, { throwIfNoEntry: false })?.size ?? 0,
    firstLine() {
      const [line = ''] = readFileSync(output, 'latin1').slice(0, 300).split('\n')
      return line
    },
    firstProcess() {
      try {
        const [, pid] = /"child-pid": (\d+)/.exec(readFileSync(join(folder, 'info'), 'utf8')) ?? []
        return pid === undefined ? null : Number(pid)
      } catch {
        return null
      }
    },
    remove() {
      if (end !== null) closeSync(end)
      end = null
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** All that is in the pipe; the command may have filled it with anything. */
function drain(fd: number): string {
  const chunk = Buffer.alloc(MAX_TOLD_BYTES)
  let text = ''
  try {
    for (let size = readSync(fd, chunk); size > 0; size = readSync(fd, chunk))
      if (text.length < MAX_TOLD_BYTES) text += chunk.toString('utf8', 0, size)
  } catch {
    // Nothing more at the moment.
  }
  return text
}
