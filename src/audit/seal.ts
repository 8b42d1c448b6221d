/** The newest row of the audit, kept in a file beside the database: rows that vanish from its end are missed. */

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Clock } from '../lib/clock.js'
import { HubError } from '../protocol/error.js'
import type { AuditHead } from './chain.js'

const Seal = z.strictObject({ number: z.int().min(0), hash: z.string() })
const EVERY_MS = 10_000

/** Keeps the file up to date until it is closed. */
export async function keepSeal(deps: {
  path: string
  clock: Clock
  head(): Promise<AuditHead>
  onFault(error: unknown): void
}): Promise<{ close(): Promise<void> }> {
  const { path, clock, head, onFault } = deps
  let written = -1
  let cancel = () => {}

  async function write(): Promise<void> {
    const { number, hash } = await head()
    if (number === written) return
    writeSeal(path, { number, hash })
    written = number
  }

  function plan(): void {
    cancel = clock.after(EVERY_MS, () => {
      write().catch(onFault)
      plan()
    })
  }

  plan()
  return {
    async close() {
      cancel()
      await write()
    },
  }
}

/** Whole or not at all. */
export function writeSeal(path: string, { number, hash }: AuditHead): void {
  writeFileSync(`${path}.new`, JSON.stringify({ number, hash }), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Keeps the details of a seal that does not match, for an investigation. */
export function keepBroken(path: string, now: string, content: object): void {
  writeFileSync(`${path}.broken-${now.replaceAll(/[:.]/g, '-')}`, JSON.stringify(content), { mode: 0o600 })
}

/** Whether the audit had entries when it was sealed. */
export function sealsEntries(path: string): boolean {
  const seal = readSeal(path)
  return seal !== null && seal !== 'unreadable' && seal.number > 0
}

/** Null: there is none. */
export function readSeal(path: string): AuditHead | 'unreadable' | null {
  const text = readSealText(path)
  if (text === null) return null
  const seal = Seal.safeParse(parse(text))
  return seal.success ? seal.data : 'unreadable'
}

export function readSealText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    const problem = error instanceof Error ? error.message : 'unknown failure'
    throw new HubError(
      'home_unusable',
      `The seal of the audit cannot be read: ${problem}. Fix: move ${path} away, restart, and run "signalbox audit verify".`,
      { path },
      { cause: error },
    )
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
