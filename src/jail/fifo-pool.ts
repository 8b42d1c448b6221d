/** FIFOs for runs, made ahead of time: only a program can make one, and starting it would delay the command. */

import { execFile } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const BATCH = 32
/** When fewer are left, the next ones are made. */
const LOW = 8

export interface FifoPool {
  /** Moves a fresh FIFO to this path. */
  take(path: string): Promise<void>
  /** Waits until no program makes FIFOs any more. Idempotent. */
  close(): Promise<void>
}

/** `folder` is the pool's alone, and empty or not there yet. */
export function createFifoPool(folder: string): FifoPool {
  const ready: string[] = []
  let count = 0
  let making: Promise<void> | null = null
  mkdirSync(folder, { recursive: true, mode: 0o700 })

  async function make(): Promise<void> {
    const fresh = Array.from({ length: BATCH }, () => join(folder, `${count++}`))
    await promisify(execFile)('/usr/bin/mkfifo', ['-m', '600', '--', ...fresh])
    ready.push(...fresh)
  }

  function refill(): Promise<void> {
    making ??= make().finally(() => {
      making = null
    })
    return making
  }

  return {
    async take(path) {
      while (ready.length === 0) await refill()
      renameSync(ready.pop() ?? '', path)
      // A caller that finds the pool empty gets the reason why it could not be filled.
      if (ready.length < LOW) refill().catch(() => {})
    },
    async close() {
      await making?.catch(() => {})
    },
  }
}
