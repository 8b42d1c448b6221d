/** The daemon with the stand-in for the CLI: for what needs many sessions, or a CLI that misbehaves. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePlace, type Place } from './daemon-process.js'

const STAND_IN = fileURLToPath(new URL('./stand-in-claude.mjs', import.meta.url))

export interface StandInPlace extends Place {
  /** Session options with which every decision that reaches a process is recorded. */
  options: { env: { STAND_IN_LEDGER: string } }
  decisions(): Promise<LedgerEntry[]>
}

/** A decision that reached the stand-in, as it wrote it to its ledger. */
export interface LedgerEntry {
  sessionId: string
  toolUseId: string | null
  tool: string
  input: Record<string, unknown>
  reply: {
    behavior?: 'allow' | 'deny'
    message?: string
    updatedInput?: Record<string, unknown>
    by?: string
  }
}

export async function makeStandInPlace(settings: Record<string, string> = {}): Promise<StandInPlace> {
  const place = await makePlace(() => ({ rules: [{ reply: [{ text: 'unused' }] }] }))
  const ledger = join(place.folder, 'ledger.jsonl')
  return {
    ...place,
    env: { ...place.env, SIGNALBOX_CLAUDE_PATH: STAND_IN, ...settings },
    options: { env: { STAND_IN_LEDGER: ledger } },
    decisions: async () => {
      const text = await readFile(ledger, 'utf8').catch(() => '')
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LedgerEntry]))
    },
  }
}
