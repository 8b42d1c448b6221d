/** `signalbox demo`: something to look at, without an account and without touching anything of yours. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../client/client.js'
import type { Daemon } from '../../daemon.js'
import type { Terminal } from '../output/terminal.js'
import { start } from './start.js'

const PROMPTS = [
  ['A haiku', 'Please write a haiku about signals'],
  ['Where the data lives', 'Ask me which storage to use'],
  ['Along the line', 'Send the signalmen'],
  ['The timetable', 'Use the timetable skill'],
] as const

const SKILL = `---
name: timetable
description: Reads the timetable of the night train
---

Read out when the night train leaves.
`

export async function demo(
  options: { port?: string; home?: string; open?: boolean; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'signalbox-demo-'))
  try {
    return await start({ ...options, home, scripted: true }, terminal, fill)
  } finally {
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
  }
}

async function fill({ url, token, home }: Daemon): Promise<void> {
  const client = createClient({ url, token, via: 'cli' })
  const cwd = join(home, 'sample-workspace')
  const skill = join(cwd, '.claude', 'skills', 'timetable')
  mkdirSync(skill, { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), SKILL)
  await client.trustWorkspace({ body: { path: cwd } })
  for (const [title, prompt] of PROMPTS) await client.createSession({ body: { cwd, title, prompt } })
}
