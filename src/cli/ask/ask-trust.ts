/** Asks once per folder whether to trust it, so that its project settings are loaded. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Client } from '../../client/client.js'
import type { Terminal } from '../output/terminal.js'

/** Files that take effect in a trusted folder. */
const ACTING = [
  '.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/skills',
  '.claude/agents',
]

export async function askForTrust(
  client: Client,
  cwd: string,
  home: string,
  terminal: Terminal,
): Promise<void> {
  const acting = ACTING.filter((name) => existsSync(join(cwd, name)))
  if (acting.length === 0 || !terminal.isInteractive) return
  const { workspaces } = await client.listWorkspaces()
  if (workspaces.some(({ path }) => cwd === path || cwd.startsWith(`${path}/`))) return
  const file = join(home, 'trust-declined.json')
  const declined = readDeclined(file)
  if (declined.includes(cwd)) return
  terminal.note(`This folder contains ${acting.join(', ')}. They are loaded only in trusted folders.`)
  const answer = await terminal.key(
    'Trust it? [y] yes  [n] no, and do not ask again  [l] later: ',
    ['y', 'n', 'l'],
    new AbortController().signal,
  )
  if (answer === 'y') await client.trustWorkspace({ body: { path: cwd } })
  else if (answer === 'n') writeFileSync(file, `${JSON.stringify([...declined, cwd])}\n`, { mode: 0o600 })
}

function readDeclined(file: string): string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}
