/** Everything but the process and the network: the assembly of the product around a memory store and stand-ins for the CLI. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { createMemoryBus } from '../../src/bus/memory.js'
import { Config } from '../../src/config.js'
import type { HookSettings } from '../../src/hook/settings.js'
import type { Jail } from '../../src/jail/jail.js'
import { createSecretSet } from '../../src/lib/redact/secret-set.js'
import type { AgentConfig, AgentLimits } from '../../src/protocol/agent.js'
import type { CreateSession } from '../../src/protocol/api-body.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import type { McpServers, SessionOptions } from '../../src/protocol/option/option.js'
import { reason, saying } from '../../src/protocol/reason/reason.js'
import { assemble } from '../../src/runtime/assemble.js'
import type { ClaudePort } from '../../src/session/claude/port.js'
import type { FleetLimits } from '../../src/session/fleet.js'
import { createMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/port.js'
import type { Tool } from '../../src/tool/tool.js'
import { aPerson, ids } from './build.js'
import { createFakeClaudes } from './fake-claude.js'
import { createManualClock } from './manual-clock.js'
import { temporaryFolder } from './temporary-folder.js'

export interface TestRuntimeOptions {
  /** The program that records changes; without it nothing is recorded. */
  git?: string
  permissionTimeoutMs?: number
  store?: Store
  /** That of a previous run. */
  folder?: string
  limits?: Partial<FleetLimits>
  onRestart?: 'continue' | 'ask'
  defaults?: SessionOptions
  agents?: Record<string, AgentConfig>
  agentLimits?: Partial<AgentLimits>
  /** Besides the built-in ones. */
  tools?: readonly Tool[]
  hooks?: z.input<typeof HookSettings>
  policy?: string
  /** Of the configuration, by name. */
  mcpServers?: McpServers
  allowedVariables?: readonly string[]
  /** The branch that is checked out in the folder. */
  branch?: () => string | null
  /** Without it no command runs in a jail. */
  jail?: Jail
  /** Recorded in the database by a previous version. */
  oldProcesses?: readonly { pid: number; startToken: string }[]
  /** Instead of stand-ins that the test plays itself. */
  claude?: ClaudePort
}

const NO_JAIL: Jail = {
  status: { state: 'off', kind: null, ...saying(reason('jail.none')) },
  verify: async () => NO_JAIL.status,
  wrap: async () => ({ problem: reason('jail.none') }),
  isHistoryClean: async () => false,
  drop: () => {},
  close: async () => {},
}

export async function createTestRuntime(options: TestRuntimeOptions = {}) {
  const folder = options.folder ?? (await temporaryFolder())
  const [cwd, home] = [join(folder, 'project'), join(folder, 'home')]
  await mkdir(cwd, { recursive: true })
  await mkdir(home, { recursive: true })
  const clock = createManualClock()
  const store = options.store ?? createMemoryStore({ newId: () => ids.next('evt') })
  const faults: unknown[] = []
  const claudes = createFakeClaudes()
  const logged: [string, string, unknown][] = []
  const secrets = createSecretSet()
  const bus = createMemoryBus()
  const jail = options.jail ?? NO_JAIL
  const { hub, hubSide, runnerSide, close } = await assemble({
    store,
    bus,
    clock,
    ids,
    config: configOf(options),
    home,
    userHome: folder,
    claude: options.claude ?? claudes,
    claudeEnvironment: {
      env: { PATH: '/bin', CLAUDE_CODE_SHELL: '/bin/bash' },
      configFolder: join(folder, 'claude'),
    },
    hookEnvironment: { env: { PATH: process.env['PATH'] ?? '' }, scratchFolder: folder },
    sdkLog: { write: ({ id }, ...line) => logged.push([id, ...line]), close: async () => {} },
    toolLog: { info: () => {}, error: (_, error) => faults.push(error) },
    secrets,
    jail,
    branchOf: () => options.branch?.() ?? null,
    git: options.git ?? null,
    tools: options.tools ?? [],
    oldProcesses: options.oldProcesses ?? [],
    onFault: (error) => faults.push(error),
  })
  onTestFinished(close)
  return {
    folder,
    cwd,
    clock,
    store,
    journal: hubSide.journal,
    inbox: hubSide.inbox,
    asker: runnerSide.asker,
    hub,
    runner: runnerSide.runner,
    claudes,
    agentPort: hubSide.agentCalls,
    faults,
    logged,
    bus,
    secrets,
    jail,
    createSession: (prompt?: string, more: Partial<CreateSession> = {}) =>
      hub.createSession({ cwd, ...(prompt !== undefined && { prompt }), ...more }, aPerson),
    events: async (sessionId: string): Promise<SessionEvent[]> =>
      (await store.readSession(sessionId)).map(({ event }) => event),
    types: async (sessionId: string): Promise<string[]> =>
      (await store.readSession(sessionId)).map(({ event }) => event.type),
  }
}

export type TestRuntime = Awaited<ReturnType<typeof createTestRuntime>>

/** Nothing is kept warm and no jail is looked for, unless the test says so. */
function configOf({ limits, agentLimits, jail, ...given }: TestRuntimeOptions): Config {
  const { permissionTimeoutMs, onRestart, defaults, agents, hooks, policy, mcpServers, allowedVariables } =
    given
  const config = Config.parse({
    warm: 0,
    maxLive: 100,
    permissionTimeoutMs,
    onRestart,
    defaults,
    agents,
    agentLimits,
    hooks,
    policy,
    mcpServers,
    allowedVariables,
    readOnlyJail: jail ? 'auto' : 'off',
  })
  return { ...config, ...limits }
}
