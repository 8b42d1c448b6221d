/** What runs on the machine of the agents: the CLI and its gate, tools, hooks, the jail, and the sessions of terminals. */

import { realpathSync } from 'node:fs'
import type { Bus } from '../bus/port.js'
import type { Config } from '../config.js'
import type { Jail } from '../jail/jail.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import { digest } from '../lib/digest.js'
import type { IdSource } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { ClaudePort } from '../session/claude/port.js'
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
  /** The environment of every CLI process, and the folder in which it keeps its conversations. */
  claudeEnvironment: Pick<RunnerDeps, 'env' | 'configFolder'>
  /** The environment of command hooks, and a folder for what they and the CLI read once. */
  hookEnvironment: Omit<RunnerDeps['hooks'], 'settings'>
  sdkLog: SdkLog
  /** What tools write about themselves. */
  toolLog: Log
  secrets: SecretSet
  jail: Jail
  branchOf: RunnerDeps['branchOf']
  /** Besides the built-in ones and those of the files that the settings name. */
  tools: Iterable<Tool>
  /** Left out where sessions of terminals are not followed. */
  openTerminals?: (deps: Pick<TerminalsDeps, 'journal' | 'store' | 'clock' | 'ids'>) => Promise<Terminals>
  transcripts?: TranscriptUsage | undefined
  /** What the runner side asks of the hub side other than over the journal or the bus. */
  hub: Pick<HubSide, 'journal' | 'inbox' | 'agentCalls' | 'policies' | 'policyFor' | 'isTrusted'>
  onFault(error: unknown): void
}

export interface RunnerSide extends RunnerAnswers {
  readonly runner: Runner
  /** More can be added; sessions that start afterwards have them. */
  readonly toolRegistry: ToolRegistry
  /** Those that only one session has. */
  readonly sessionTools: SessionToolBook
  /** Ends what the previous run left behind, then follows terminals. */
  start(): Promise<void>
  /** Ends every process. May be called twice. */
  close(): Promise<void>
}

/** When the jail is tested after a start. */
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
      mark: digest(home).slice(0, 16),
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
      // In the background: until it is verified there is no jail. It blocks the event loop for a moment, so the server
      // listens first.
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

/** Our tools, and those of the files that the settings name. */
async function createTools(
  { agents, agentLimits, tools }: Config,
  home: string,
  deps: Pick<BuiltInDeps, 'clock' | 'guard' | 'agentPort'>,
): Promise<ToolRegistry> {
  const registry = new ToolRegistry(builtInTools({ ...deps, agents, agentLimits }))
  for (const { tool, file } of await loadTools(tools, home)) registry.register(tool, file)
  return registry
}
