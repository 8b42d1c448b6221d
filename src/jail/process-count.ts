/**
 * For root, whose processes no limit of the kernel counts: a look at the table of processes. Control groups would count
 * them, but joining one takes longer than everything else that the jail does.
 */

import { readdirSync, readlinkSync } from 'node:fs'

const MAX_PROCESSES = 2_048

/** `firstProcess` is that of the jail; what it says is true once the jail has more processes than a run may have. */
export function createProcessWatch(): (firstProcess: () => number | null) => boolean {
  const before = processes().length
  return (firstProcess) => {
    const now = processes()
    if (now.length - before <= MAX_PROCESSES) return false
    const jail = namespaceOf(`${firstProcess()}`)
    return jail !== null && now.filter((pid) => namespaceOf(pid) === jail).length > MAX_PROCESSES
  }
}

function processes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return null
  }
}
