/** Small pieces of text that several commands print. */

import { homedir } from 'node:os'
import { printable } from '../../lib/text/printable.js'
import type { Session } from '../../protocol/session.js'

export function money(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`
}

/** The cost of a session. The scripted model is free. */
export function costText({ costUsd, scriptedCostUsd }: Pick<Session, 'costUsd' | 'scriptedCostUsd'>): string {
  return costUsd === 0 && scriptedCostUsd !== undefined ? 'scripted, free' : money(costUsd)
}

export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim())
}

/** A path below the home of the user with `~`. */
export function shortPath(path: string): string {
  const home = process.env['HOME'] || homedir()
  if (path === home) return '~'
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
