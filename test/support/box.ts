/** Everything but the process and the network: the real parts joined around a memory store and stand-ins for the CLI. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { createMemoryBus } from '../../src/bus/memory.js'
import { HookSettings } from '../../src/hook/settings.js'
import { createAgentCalls } from '../../src/hub/agent-calls.js'
import { createHub } from '../../src/hub/hub.js'
import { createInbox } from '../../src/inbox/inbox.js'
import type { Jail } from '../../src/jail/jail.js'
import { createJournal } from '../../src/journal/journal.js'
import { createSecretSet } from '../../src/lib/redact/secret-set.js'
import { exactGrant } from '../../src/policy/rule/grant.js'
import { createPolicyResolver } from '../../src/policy/source/effective-policy.js'
import { type AgentConfig, AgentLimits } from '../../src/protocol/agent.js'
import type { CreateSession } from '../../src/protocol/api-body.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import type { McpServers, SessionOptions } from '../../src/protocol/option/option.js'
import type { Session } from '../../src/protocol/session.js'
import type { ClaudePort } from '../../src/session/claude/port.js'
import type { FleetLimits } from '../../src/session/fleet.js'
import { createFileGuard } from '../../src/session/gate/file-guard.js'
import { createRunner } from '../../src/session/runner.js'
import { createLearnSecrets } from '../../src/session/session-secrets.js'
import { createMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/port.js'
import { builtInTools } from '../../src/tool/built-in/built-in.js'
import { describeTools } from '../../src/tool/describe.js'
import { ToolRegistry } from '../../src/tool/registry.js'
import type { Tool } from '../../src/tool/tool.js'
import { aPerson, ids } from './build.js'
import { createFakeClaudes } from './fake-claude.js'
import { createManualClock } from './manual-clock.js'
import { temporaryFolder } from './temporary-folder.js'

export interface RuntimeOptions {
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
  /** Instead of stand-ins that the test plays itself. */
  claude?: ClaudePort
}

const NO_JAIL: Jail = {
  status: { state: 'off', kind: null, reason: 'There is none.' },
  verify: async () => NO_JAIL.status,
  wrap: async () => ({ problem: 'There is none.' }),
  isHistoryClean: async () => false,
  drop: () => {},
  close: async () => {},
}

export async function createBox(options: RuntimeOptions = {}) {
  const { permissionTimeoutMs = 0, limits, onRestart = 'ask', defaults = {}, agents = {} } = options
  const { mcpServers = {}, allowedVariables = [] } = options
  const folder = options.folder ?? (await temporaryFolder())
  const cwd = join(folder, 'project')
  await mkdir(cwd, { recursive: true })
  const clock = createManualClock()
  const store = options.store ?? createMemoryStore({ newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock, ids })
  const faults: unknown[] = []
  const inbox = createInbox({
    journal,
    store,
    clock,
    ids,
    grantFor: exactGrant,
    permissionTimeoutMs,
    questionTimeoutMs: 0,
    onFault: (error) => faults.push(error),
  })
  const bus = createMemoryBus()
  const secrets = createSecretSet()
  const book = createPolicyResolver(join(folder, 'home'), { policy: options.policy })
  const claudes = createFakeClaudes()
  const logged: [string, string, unknown][] = []
  const learnSecrets = createLearnSecrets({ secrets, store })
  const agentPort = createAgentCalls({
    journal,
    store,
    bus,
    ids,
    agents,
    whenBusy: 'inject',
    ownHomes: book.ownHomes,
    learnSecrets,
    onFault: (error) => faults.push(error),
  })
  const agentLimits = AgentLimits.parse(options.agentLimits ?? {})
  const policyFor = async ({ policy }: Session) =>
    book.at({ workspace: cwd, isTrusted: false, preset: policy })
  const now = () => new Date(clock.now()).toISOString()
  const guard = createFileGuard({ journal, policyFor, home: folder, now })
  const tools = new ToolRegistry([
    ...builtInTools({ clock, guard, agents, agentLimits, agentPort }),
    ...(options.tools ?? []),
  ])
  const runner = createRunner({
    journal,
    inbox,
    clock,
    ids,
    store,
    bus,
    claude: options.claude ?? claudes,
    secrets,
    policyFor,
    jail: options.jail ?? NO_JAIL,
    jailSettingsFor: async () => ({ setting: options.jail ? 'auto' : 'off', unproven: 'jail' }),
    branchOf: () => options.branch?.() ?? null,
    sdkLog: { write: ({ id }, ...line) => logged.push([id, ...line]), close: async () => {} },
    env: { PATH: '/bin', CLAUDE_CODE_SHELL: '/bin/bash' },
    configFolder: join(folder, 'claude'),
    defaults,
    mcpServers,
    allowedVariables,
    workspaceFile: (workspace) => book.workspaceFile(workspace),
    agents,
    toolsOf: () => tools,
    toolLog: { info: () => {}, error: (_, error) => faults.push(error) },
    hooks: {
      settings: HookSettings.parse(options.hooks ?? {}),
      env: { PATH: process.env['PATH'] ?? '' },
      scratchFolder: folder,
    },
    limits: { warm: 0, parkAfterMs: 600_000, maxLive: 100, ...limits },
    onRestart,
    deniedReads: [],
    mark: ids.next('box'),
    onFault: (error) => faults.push(error),
  })
  const hub = createHub({
    journal,
    store,
    inbox,
    bus,
    ids,
    clock,
    whenBusy: 'inject',
    agents,
    mcpServers,
    allowedVariables,
    tools: () => describeTools(tools),
    learnSecrets,
    recovered: (sessionId) => runner.recovered(sessionId),
    recoveredAll: (sessionIds) => runner.recoveredAll(sessionIds),
    policyResolver: book,
    userHome: folder,
  })
  await inbox.start()
  await runner.start()
  onTestFinished(() => runner.close())
  return {
    folder,
    cwd,
    clock,
    store,
    journal,
    inbox,
    hub,
    runner,
    claudes,
    agentPort,
    faults,
    logged,
    bus,
    secrets,
    createSession: (prompt?: string, more: Partial<CreateSession> = {}) =>
      hub.createSession({ cwd, ...(prompt !== undefined && { prompt }), ...more }, aPerson),
    events: async (sessionId: string): Promise<SessionEvent[]> =>
      (await store.readSession(sessionId)).map(({ event }) => event),
    types: async (sessionId: string): Promise<string[]> =>
      (await store.readSession(sessionId)).map(({ event }) => event.type),
  }
}

export type Runtime = Awaited<ReturnType<typeof createBox>>
