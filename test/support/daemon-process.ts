/** The daemon as a user runs it: its own process, its own home, the real CLI on the scripted model. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { type Client, createClient } from '../../src/client/client.js'
import { digest } from '../../src/lib/digest.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import type { InboxRequest } from '../../src/protocol/request.js'
import type { Session } from '../../src/protocol/session.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { findMarked } from '../../src/session/claude/process-identity.js'
import { problemsOf } from './check-log.js'
import { temporaryFolder } from './temporary-folder.js'
import { whenDone } from './when-done.js'

export const MAIN = fileURLToPath(new URL('../../dist/bin/signalbox.cjs', import.meta.url))

export interface Place {
  folder: string
  /** Where the sessions work. */
  cwd: string
  home: string
  scriptFile: string
  env: Record<string, string>
}

/** A machine of one's own: nothing of the real home is seen or touched. */
export async function makePlace(script: (cwd: string) => ScriptInput): Promise<Place> {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  const home = join(folder, 'signalbox')
  await mkdir(cwd)
  const scriptFile = join(folder, 'script.json')
  await writeFile(scriptFile, JSON.stringify(script(cwd)))
  // A session that a test forgot must not outlive it.
  whenDone(() => vi.waitFor(() => expect(processesOf(home)).toEqual([]), { timeout: 10_000 }))
  // Without processes in reserve, so that a test can count those of its sessions.
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    SIGNALBOX_WARM: '0',
    // Each start would test the jail anew, which takes a second of processor time. Tests that want it remove this.
    SIGNALBOX_READ_ONLY_JAIL: 'off',
    SIGNALBOX_ALLOWED_VARIABLES: 'GREETING,OTHER,PLAIN,STAND_IN_EXIT,STAND_IN_LEDGER',
  }
  return { folder, cwd, home, scriptFile, env }
}

/** Processes that belong to sessions of a home, wherever they have gone. */
export function processesOf(home: string): number[] {
  return findMarked(`${digest(home).slice(0, 16)}/`)
}

export interface DaemonProcess {
  client: Client
  url: string
  token: string
  pid: number
  child: ChildProcess
  /** Ends it as a service manager would, and resolves with its exit code. */
  stop(): Promise<number | null>
  /** Ends it without warning. */
  kill(): Promise<void>
  stderr(): string
}

export async function startDaemonProcess(
  { home, scriptFile, env }: Place,
  port = '0',
  more: readonly string[] = [],
): Promise<DaemonProcess> {
  const child = spawn(
    process.execPath,
    [MAIN, 'start', '--json', '--port', port, '--home', home, '--scripted', scriptFile, ...more],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error(`The daemon ended before it was ready: ${stderr}`))),
  ])) as [string]
  const ready = JSON.parse(line) as { event: string; url: string; pid: number; model: string }
  expect(ready).toMatchObject({ event: 'ready', model: 'scripted', pid: child.pid })
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
  }
  whenDone(() => (child.exitCode === null && child.signalCode === null ? end('SIGKILL') : undefined))
  return {
    client: createClient({ url: ready.url, token }),
    url: ready.url,
    token,
    pid: ready.pid,
    child,
    async stop() {
      await end('SIGTERM')
      return child.exitCode
    },
    kill: () => end('SIGKILL'),
    stderr: () => stderr,
  }
}

/** Waits until a session is as expected. */
export async function sessionWhen(
  client: Client,
  id: string,
  isReached: (session: Session) => boolean,
): Promise<Session> {
  let session: Session | null = null
  await expect
    .poll(
      async () => {
        session = (await client.getSession({ params: { id } })).session
        return isReached(session) || session
      },
      { timeout: 30_000, interval: 30 },
    )
    .toBe(true)
  if (!session) throw new Error('unreachable')
  return session
}

/** The one request that a session waits for. */
export async function pendingRequest(client: Client, sessionId: string): Promise<InboxRequest> {
  const { pendingRequests } = await sessionWhen(
    client,
    sessionId,
    (session) => session.pendingRequests.length > 0,
  )
  const { request } = await client.getRequest({ params: { id: pendingRequests[0] ?? '' } })
  return request
}

export async function allEvents(client: Client, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for (;;) {
    const page = await client.listEvents({
      params: { id: sessionId },
      query: { after: events.length, limit: 1_000 },
    })
    events.push(...page.events)
    if (page.nextCursor === null) return events
  }
}

/** Everything that began has ended, everything asked is answered; what is still on its way may finish first. */
export async function expectOrderly(client: Client): Promise<void> {
  const problems = async () => {
    const { sessions } = await client.listSessions({ query: { limit: 1_000 } })
    const found = await Promise.all(sessions.map(async ({ id }) => problemsOf(await allEvents(client, id))))
    const { requests } = await client.listRequests({ query: { state: 'pending' } })
    return [...found.flat(), ...requests.map((request) => `${request.id} is pending`)]
  }
  await expect.poll(problems, { timeout: 10_000, interval: 100 }).toEqual([])
}
