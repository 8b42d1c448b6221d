/** Why nothing can be written into a folder, found out by writing into it. */

import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type MachineFault, machineFaultOf } from '../lib/sqlite/machine-fault.js'

const BYTES = 64 * 1024

/** Really writes and flushes a little: free space alone does not say that a write succeeds. Throws what the system says. */
export function tryWriting(folder: string): void {
  const file = join(folder, `.signalbox-write-${process.pid}`)
  try {
    const descriptor = openSync(file, 'wx', 0o600)
    try {
      for (let left = BYTES; left > 0; ) left -= writeSync(descriptor, Buffer.alloc(left))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } finally {
    rmSync(file, { force: true })
  }
}

/** Null: a write succeeds, or fails for a reason that says no more than SQLite has. */
export function writeFaultIn(folder: string): MachineFault | null {
  try {
    tryWriting(folder)
    return null
  } catch (error) {
    return machineFaultOf(error)
  }
}
