/** A runtime with the real CLI, on a scripted model of the test's own: what the model was sent can be looked at. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { z } from 'zod'
import { Config } from '../../src/config.js'
import { asList, asRecord, asText } from '../../src/lib/read-json.js'
import type { CreateSession } from '../../src/protocol/api-body.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import type { Session } from '../../src/protocol/session.js'
import { openRuntime } from '../../src/runtime/runtime.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { startScriptedModel } from '../../src/scripted/server.js'
import { aPerson } from './build.js'
import { problemsOf } from './check-log.js'
import { processesOf } from './daemon-process.js'
import { temporaryFolder } from './temporary-folder.js'

export interface ToolResultSeen {
  isError: boolean
  text: string
}

export type RealRuntime = Awaited<ReturnType<typeof createRealRuntime>>

/** Folders first, so that a script and settings can name them. */
export async function makeFolders(): Promise<{ folder: string; cwd: string; home: string }> {
  const folder = await temporaryFolder()
  const [cwd, home] = [join(folder, 'project'), join(folder, 'signalbox')]
  await mkdir(cwd)
  await mkdir(home)
  return { folder, cwd, home }
}

export async function createRealRuntime(
  { folder, cwd, home }: { folder: string; cwd: string; home: string },
  script: ScriptInput,
  config: z.input<typeof Config> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  const faults: unknown[] = []
  const runtime = await openRuntime({
    home,
    config: Config.parse({
      warm: 0,
      // Verifying the jail takes a second of CPU time: tests that want it set `auto`.
      readOnlyJail: 'off',
      // Tools that are otherwise loaded on demand can then be called at once.
      defaults: { env: { ENABLE_TOOL_SEARCH: 'false' } },
      ...config,
    }),
    scripted: null,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
      ...env,
    },
    onFault: (error) => faults.push(error),
  })
  onTestFinished(async () => {
    await runtime.close()
    expect(faults).toEqual([])
    await expect.poll(() => processesOf(home), { timeout: 10_000 }).toEqual([])
  })
  const { hub } = runtime

  async function events(sessionId: string): Promise<SessionEvent[]> {
    return hub.events(sessionId, {})
  }

  async function sessionWhen(id: string, isReached: (session: Session) => boolean): Promise<Session> {
    await expect
      .poll(async () => isReached(await hub.session(id)), { timeout: 30_000, interval: 20 })
      .toBe(true)
    return hub.session(id)
  }

  /** Everything that the model was sent by main loops, as text: the last request of each conversation. */
  function sent(): string {
    return JSON.stringify(model.requests.map(({ body }) => asRecord(body)['messages']))
  }

  function resultOf(toolUseId: string): ToolResultSeen | null {
    const bodies = model.requests.map(({ body }) => asRecord(body)).filter((body) => 'tools' in body)
    const results = new Map(bodies.flatMap((body) => asList(body['messages']).flatMap(resultsIn)))
    return results.get(toolUseId) ?? null
  }

  /** Sends one prompt to a session without prompts for permission, and waits for the end of its turn. */
  async function run(prompt = 'go', more: Partial<CreateSession> = {}) {
    const { id } = await hub.createSession(
      { cwd, prompt, permissionMode: 'bypassPermissions', ...more },
      aPerson,
    )
    const session = await sessionWhen(id, ({ turns, turn }) => turns > 0 && turn === null)
    const log = await events(id)
    expect(problemsOf(log)).toEqual([])
    return { id, session, events: log }
  }

  return { runtime, hub, model, folder, cwd, home, faults, events, sessionWhen, sent, resultOf, run }
}

function resultsIn(message: unknown): [string, ToolResultSeen][] {
  return asList(asRecord(message)['content'])
    .map(asRecord)
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => [
      asText(block['tool_use_id']) ?? '',
      { isError: block['is_error'] === true, text: textOf(block['content']) },
    ])
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((block) => asText(asRecord(block)['text']) ?? `<${asText(asRecord(block)['type'])}>`)
    .join('|')
}
