/**
 * The runner side of a runtime, on the machine of the agents: CLI processes, permission gate, tools, hooks, jail and
 * terminal sessions.
 */

import { realpathSync } from 'node:fs'
import type { Bus } from '../bus/port.js'
import type { Config } from '../config.js'
import type { Jail } from '../jail/jail.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { ClaudePort } from '../session/claude/port.js'
import { markOf } from '../session/claude/process-identity.js'
import type { SdkLog } from '../session/claude/sdk-log.js'
import { deniedReads } from '../session/gate/denied-read.js'
import { createFileGuard } from '../session/gate/file-guard.js'
import { jailSettingsAt } from '../session/gate/session-jail.js'
import { createRunner, type Runner, type RunnerDeps } from '../session/runner.js'
import type { Store } from '../store/port.js'
import type { Terminals, TerminalsDeps } from '../terminal/terminals.js'
import { type BuiltInDeps, builtInTools } from '../tool/built-in/built-in.js'
import { describeTools } from '../tool/describe.js'
import { loadTools } from '../tool/load.js'
import { PROGRAM, ToolRegistry } from '../tool/registry.js'
import { SessionToolBook } from '../tool/session-tool-book.js'
import type { Tool } from '../tool/tool.js'
import type { TranscriptUsage } from '../usage/transcript-usage.js'
import type { HubSide, RunnerAnswers } from './hub-side.js'

export interface RunnerSideParts {
  store: Store
  bus: Bus
  clock: Clock
  ids: IdSource
  config: Config
  home: string
  userHome: string
  claude: ClaudePort
  /** Environment of every CLI process, and the folder where the CLI stores its conversations. */
  claudeEnvironment: Pick<RunnerDeps, 'env' | 'configFolder'>
  /** Environment of command hooks, and a scratch folder for files that hooks and the CLI read once. */
  hookEnvironment: Omit<RunnerDeps['hooks'], 'settings'>
  sdkLog: SdkLog
  /** Log for tools. */
  toolLog: Log
  secrets: SecretSet
  jail: Jail
  branchOf: RunnerDeps['branchOf']
  /** Additional tools, besides the built-in ones and those loaded from the files named in the settings. */
  tools: Iterable<Tool>
  /** Absent if terminal sessions are not followed. */
  openTerminals?: (deps: Pick<TerminalsDeps, 'journal' | 'store' | 'clock' | 'ids'>) => Promise<Terminals>
  transcripts?: TranscriptUsage | undefined
  /** Direct calls from the runner side to the hub side, besides the journal and the bus. */
  hub: Pick<HubSide, 'journal' | 'inbox' | 'agentCalls' | 'policies' | 'policyFor' | 'isTrusted'>
  onFault(error: unknown): void
}

export interface RunnerSide extends RunnerAnswers {
  readonly runner: Runner
  /** Tools can be added later; sessions that start afterwards get them. */
  readonly toolRegistry: ToolRegistry
  /** Tools of a single session. */
  readonly sessionTools: SessionToolBook
  /** Kills processes left over from a previous run, then follows terminal sessions. */
  start(): Promise<void>
  /** Kills every process. Idempotent. */
  close(): Promise<void>
}

/** Delay between startup and the test of the jail. */
const JAIL_TEST_MS = 500

export async function createRunnerSide(parts: RunnerSideParts): Promise<RunnerSide> {
  const { store, bus, clock, ids, config, home, userHome, jail, hub, onFault } = parts
  const { journal, inbox, policyFor, policies } = hub
  const closers = new Closers(onFault)
  const guard = createFileGuard({
    journal,
    policyFor,
    home: userHome,
    now: () => new Date(clock.now()).toISOString(),
  })
  const tools = await createTools(config, home, { clock, guard, agentPort: hub.agentCalls })
  for (const tool of parts.tools) tools.register(tool, PROGRAM)
  const sessionTools = new SessionToolBook(tools)
  const runner = closers.add(
    createRunner({
      journal,
      inbox,
      clock,
      ids,
      store,
      bus,
      sdkLog: parts.sdkLog,
      secrets: parts.secrets,
      policyFor,
      branchOf: parts.branchOf,
      jail,
      jailSettingsFor: async ({ cwd }) =>
        jailSettingsAt(config, (await hub.isTrusted(cwd)) ? policies.workspaceFile(cwd) : null),
      claude: parts.claude,
      toolsOf: (sessionId) => sessionTools.of(sessionId),
      toolLog: parts.toolLog,
      hooks: { settings: config.hooks, ...parts.hookEnvironment },
      ...parts.claudeEnvironment,
      claudePath: config.claudePath,
      defaults: config.defaults,
      mcpServers: config.mcpServers,
      allowedVariables: config.allowedVariables,
      workspaceFile: (workspace) => policies.workspaceFile(workspace),
      agents: config.agents,
      limits: config,
      onRestart: config.onRestart,
      deniedReads: deniedReads([...new Set([home, realpathSync(home)])]),
      mark: markOf(home),
      onFault,
    }),
    (it) => it.close(),
  )
  let terminals: Terminals | undefined
  return {
    runner,
    toolRegistry: tools,
    sessionTools,
    tools: () => describeTools(tools),
    recovered: (sessionId) => runner.recovered(sessionId),
    recoveredAll: (sessionIds) => runner.recoveredAll(sessionIds),
    get terminals() {
      return terminals
    },
    transcripts: parts.transcripts,
    async start() {
      await runner.start()
      // Runs in the background: until the test passes, the jail counts as unavailable. The test blocks the event loop
      // briefly, so the server listens first.
      if (config.readOnlyJail !== 'off')
        closers.add(
          clock.after(JAIL_TEST_MS, () => void jail.verify()),
          (cancel) => cancel(),
        )
      const opened = await parts.openTerminals?.({ journal, store, clock, ids })
      if (opened) terminals = closers.add(opened, (it) => it.close())
    },
    close: () => closers.close(),
  }
}

/** The built-in tools, and those loaded from the files named in the settings. */
async function createTools(
  { agents, agentLimits, tools }: Config,
  home: string,
  deps: Pick<BuiltInDeps, 'clock' | 'guard' | 'agentPort'>,
): Promise<ToolRegistry> {
  const registry = new ToolRegistry(builtInTools({ ...deps, agents, agentLimits }))
  for (const { tool, file } of await loadTools(tools, home)) registry.register(tool, file)
  return registry
}
