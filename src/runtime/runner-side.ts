/**
 * The runner side of a runtime, on the machine of the agents: CLI processes, permission gate, tools, hooks, jail and
 * terminal sessions.
 */

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Bus } from '../bus/port.js'
import { Changes } from '../change/changes.js'
import { ChangeCommands } from '../change/commands.js'
import { askAboutSize } from '../change/size-question.js'
import type { Config } from '../config.js'
import { type Asker, createAsker } from '../inbox/asker.js'
import type { Jail } from '../jail/jail.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import { createPolicyAnswers } from '../policy/policy-answers.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import type { ClaudePort } from '../session/claude/port.js'
import { markOf } from '../session/claude/process-identity.js'
import type { SdkLog } from '../session/claude/sdk-log.js'
import { deniedReads } from '../session/gate/denied-read.js'
import { createFileGuard } from '../session/gate/file-guard.js'
import { jailSettingsAt } from '../session/gate/session-jail.js'
import { secretsOfFolder } from '../session/gate/touched-secret.js'
import { createRunner, type Runner, type RunnerDeps } from '../session/runner.js'
import { createWorkspaceNames } from '../session/workspace/workspace-names.js'
import { findWorkspace } from '../session/workspace-folder.js'
import { type RunnerStore, storeOfMachine } from '../store/port/runner-store.js'
import type { Store } from '../store/port.js'
import type { Terminals, TerminalsDeps } from '../terminal/terminals.js'
import { type BuiltInDeps, builtInTools } from '../tool/built-in/built-in.js'
import { describeTools } from '../tool/describe.js'
import { loadTools } from '../tool/load.js'
import { PROGRAM, ToolRegistry } from '../tool/registry.js'
import { SessionToolBook } from '../tool/session-tool-book.js'
import type { Tool } from '../tool/tool.js'
import type { TranscriptUsage } from '../usage/transcript-usage.js'
import { WorktreeCommands } from '../worktree/commands.js'
import { Worktrees } from '../worktree/worktrees.js'
import type { HubSide } from './hub-side.js'

export interface RunnerSideParts {
  store: Store
  /** The machine whose sessions it runs. */
  machine?: string
  bus: Bus
  clock: Clock
  ids: IdSource
  config: Config
  home: string
  userHome: string
  claude: ClaudePort
  /** Environment of every CLI process, the folder where the CLI stores its conversations, and whether the model is scripted. */
  claudeEnvironment: Pick<RunnerDeps, 'env' | 'configFolder' | 'isScripted'>
  /** Environment of command hooks, and a scratch folder for files that hooks and the CLI read once. */
  hookEnvironment: Omit<RunnerDeps['hooks'], 'settings'>
  /** Processes that a previous version has recorded in the database. */
  oldProcesses?: RunnerDeps['recorded']
  sdkLog: SdkLog
  /** Log for tools. */
  toolLog: Log
  secrets: SecretSet
  jail: Jail
  branchOf: RunnerDeps['branchOf']
  /** The absolute path of git; null if there is none: then changes are not recorded. */
  git: string | null
  /** Additional tools, besides the built-in ones and those loaded from the files named in the settings. */
  tools: Iterable<Tool>
  /** Absent if terminal sessions are not followed. */
  openTerminals?: (deps: Pick<TerminalsDeps, 'journal' | 'store' | 'clock' | 'ids'>) => Promise<Terminals>
  transcripts?: TranscriptUsage | undefined
  /** Direct calls from the runner side to the hub side, besides the journal and the bus. */
  hub: Pick<HubSide, 'journal' | 'agentCalls' | 'policies' | 'policyFor' | 'isTrusted'>
  onFault(error: unknown): void
}

export interface RunnerSide {
  readonly runner: Runner
  readonly asker: Asker
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
  const { bus, clock, ids, config, home, userHome, jail, hub, onFault } = parts
  const { machine = LOCAL_MACHINE } = parts
  const store = storeOfMachine(parts.store, machine)
  const { journal, policyFor, policies } = hub
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
  const { ownHomes } = policies
  const names = closers.add(createWorkspaceNames({ ownHomes, userHome, clock, onFault }), (it) => it.close())
  const { permissionTimeoutMs, questionTimeoutMs } = config
  const after = await store.lastPosition()
  const asker = closers.add(
    createAsker({ journal, store, ids, after, permissionTimeoutMs, questionTimeoutMs, onFault }),
    (it) => it.close(),
  )
  const changes = createChanges(parts, store, asker)
  const worktreeCommands = createWorktreeCommands(parts, store)
  const changeCommands = new ChangeCommands({ changes, journal, store, settings: config.snapshots })
  const runner = closers.add(
    createRunner({
      journal,
      asker,
      clock,
      ids,
      machine,
      after,
      store,
      bus,
      sdkLog: parts.sdkLog,
      secrets: parts.secrets,
      policyFor,
      branchOf: parts.branchOf,
      changesOf: (session, write) => changes.forSession(session, write),
      jail,
      jailSettingsFor: async (session) =>
        jailSettingsAt(config, (await hub.isTrusted(session)) ? policies.workspaceFile(session.cwd) : null),
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
      runFolder: join(home, 'run'),
      recorded: parts.oldProcesses ?? [],
      onFault,
    }),
    (it) => it.close(),
  )
  let terminals: Terminals | undefined
  closers.add(
    bus.serve({
      ...createPolicyAnswers(policies, userHome),
      'workspace.find': ({ path }) => findWorkspace(path),
      'workspace.secrets': ({ path }) => secretsOfFolder(path),
      'workspace.files': (query) => names.files(query),
      'workspace.folders': ({ path }) => names.folders(path),
      'tools.list': async () => describeTools(tools),
      'session.recovered': ({ sessionId }) => runner.recovered(sessionId),
      'sessions.recovered': ({ sessionIds }) => runner.recoveredAll(sessionIds),
      'terminals.list': async () => terminals?.sessions() ?? [],
      'terminals.hold': async ({ lineId }, signal) => (await terminals?.hold(lineId, signal)) ?? null,
      'hooks.status': async () => terminals?.hooks() ?? null,
      'usage.read': async ({ since }) => (await parts.transcripts?.sums(since)) ?? [],
    }),
    (leave) => leave(),
  )
  return {
    runner,
    asker,
    toolRegistry: tools,
    sessionTools,
    async start() {
      closers.add(changes, (it) => it.close())
      closers.add(worktreeCommands, (it) => it.close())
      await changes.start()
      closers.add(bus.serve({ ...changeCommands.handlers(), ...worktreeCommands.handlers() }), (leave) =>
        leave(),
      )
      await runner.start()
      // Runs in the background: until the test passes, the jail counts as unavailable. The test blocks the event loop
      // briefly, so the server listens first.
      if (config.readOnlyJail !== 'off')
        closers.add(
          clock.after(JAIL_TEST_MS, () => void jail.verify()),
          (cancel) => cancel(),
        )
      const opened = await parts.openTerminals?.({ journal, store: parts.store, clock, ids })
      if (opened) terminals = closers.add(opened, (it) => it.close())
    },
    close: () => closers.close(),
  }
}

function createChanges(
  { clock, ids, config, home, git, hub, onFault }: RunnerSideParts,
  store: RunnerStore,
  asker: Asker,
): Changes {
  return new Changes({
    folder: join(home, 'snapshots'),
    never: [...new Set([home, realpathSync(home)])],
    program: git,
    settings: config.snapshots,
    retentionDays: config.retention,
    journal: hub.journal,
    store,
    clock,
    ids,
    ask: (sessionId, size) => askAboutSize(asker, sessionId, size),
    onFault,
  })
}

function createWorktreeCommands(parts: RunnerSideParts, store: RunnerStore): WorktreeCommands {
  const { clock, config, home, git, hookEnvironment, hub, onFault, machine = LOCAL_MACHINE } = parts
  const { env } = hookEnvironment
  const settings = config.worktrees
  const worktrees = new Worktrees({
    program: git,
    env,
    settings,
    store,
    isTrusted: (cwd) => hub.isTrusted({ cwd, machine }),
    homes: [...new Set([home, realpathSync(home)])],
    now: () => new Date(clock.now()).toISOString(),
  })
  return new WorktreeCommands({ worktrees, journal: hub.journal, settings, env, onFault })
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
