/** Finds out why a folder cannot be written, by a test write. */

import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type MachineFault, machineFaultOf } from '../lib/sqlite/machine-fault.js'

const BYTES = 64 * 1024

/** Writes and fsyncs a small file: free space alone does not mean that writes succeed. Throws the system's error. */
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

/** Null if the write succeeds, or fails for another reason than a known fault. */
export function writeFaultIn(folder: string): MachineFault | null {
  try {
    tryWriting(folder)
    return null
  } catch (error) {
    return machineFaultOf(error)
  }
}
