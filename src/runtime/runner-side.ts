/**
 * The runner side of a runtime, on the machine of the agents: CLI processes, permission gate, tools, hooks and jail. It
 * reaches the hub through its link alone.
 */

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
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
import type { HubLink } from '../link/port.js'
import { createPolicyAnswers } from '../policy/policy-answers.js'
import { createPolicyResolver } from '../policy/source/effective-policy.js'
import type { Session } from '../protocol/session.js'
import { isTrusted } from '../protocol/workspace.js'
import type { ClaudePort } from '../session/claude/port.js'
import { markOf } from '../session/claude/process-identity.js'
import type { SdkLog } from '../session/claude/sdk-log.js'
import { deniedReads } from '../session/gate/denied-read.js'
import { createFileGuard } from '../session/gate/file-guard.js'
import { jailSettingsAt } from '../session/gate/session-jail.js'
import { secretsOfFolder } from '../session/gate/touched-secret.js'
import { type CloseOptions, createRunner, type Runner, type RunnerDeps } from '../session/runner.js'
import { createWorkspaceNames } from '../session/workspace/workspace-names.js'
import { findWorkspace } from '../session/workspace-folder.js'
import { type BuiltInDeps, builtInTools } from '../tool/built-in/built-in.js'
import { describeTools } from '../tool/describe.js'
import { loadTools } from '../tool/load.js'
import { PROGRAM, ToolRegistry } from '../tool/registry.js'
import { SessionToolBook } from '../tool/session-tool-book.js'
import type { Tool } from '../tool/tool.js'
import { WorktreeCommands } from '../worktree/commands.js'
import { Worktrees } from '../worktree/worktrees.js'

export interface RunnerSideParts {
  link: HubLink
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
  /** Holds CLI processes, so that they outlive this one; null where they end with it. */
  keeper?: RunnerDeps['keeper']
  /** Read on close. */
  closing?: CloseOptions
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
  onFault(error: unknown): void
}

export interface RunnerSide {
  readonly runner: Runner
  readonly asker: Asker
  /** Tools can be added later; sessions that start afterwards get them. */
  readonly toolRegistry: ToolRegistry
  /** Tools of a single session. */
  readonly sessionTools: SessionToolBook
  /** Kills processes left over from a previous run, and recovers its sessions. */
  start(): Promise<void>
  /** Kills every process. Idempotent. */
  close(): Promise<void>
}

/** Delay between startup and the test of the jail. */
const JAIL_TEST_MS = 500

export async function createRunnerSide(parts: RunnerSideParts): Promise<RunnerSide> {
  const { link, clock, ids, config, home, userHome, jail, onFault } = parts
  const isTraced = config.telemetry.endpoint !== undefined && config.telemetry.propagate
  const { machine, journal, store } = link
  const policies = createPolicyResolver(home, config)
  const isTrustedHere = async (cwd: string) => isTrusted(cwd, await store.trustedWorkspaces())
  /** The policy in force. Rejects if its file cannot be read, or if another user could have changed it. */
  const policyFor = async ({ cwd, policy }: Session) => {
    await link.checkPolicy()
    return policies.at({ workspace: cwd, preset: policy, isTrusted: await isTrustedHere(cwd) })
  }
  const closers = new Closers(onFault)
  const guard = createFileGuard({
    journal,
    policyFor,
    home: userHome,
    now: () => new Date(clock.now()).toISOString(),
  })
  const tools = await createTools(config, home, { clock, guard, agentPort: link.agents })
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
  const changes = createChanges(parts, asker)
  const worktreeCommands = createWorktreeCommands(parts, isTrustedHere)
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
      bus: link,
      sdkLog: parts.sdkLog,
      secrets: parts.secrets,
      policyFor,
      branchOf: parts.branchOf,
      changesOf: (session, write) => changes.forSession(session, write),
      jail,
      jailSettingsFor: async (session) =>
        jailSettingsAt(
          config,
          (await isTrustedHere(session.cwd)) ? policies.workspaceFile(session.cwd) : null,
        ),
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
      // A process that was started ahead belongs to the trace of no session.
      limits: isTraced ? { ...config, warm: 0 } : config,
      isTraced,
      onRestart: config.onRestart,
      deniedReads: deniedReads([...new Set([home, realpathSync(home)])]),
      mark: markOf(home),
      runFolder: join(home, 'run'),
      recorded: parts.oldProcesses ?? [],
      keeper: parts.keeper ?? null,
      onFault,
    }),
    (it) => it.close(parts.closing),
  )
  closers.add(
    link.serve({
      ...createPolicyAnswers(policies, userHome),
      'workspace.find': ({ path }) => findWorkspace(path),
      'workspace.secrets': ({ path }) => secretsOfFolder(path),
      'workspace.files': (query) => names.files(query),
      'workspace.folders': ({ path }) => names.folders(path),
      'tools.list': async () => describeTools(tools),
      'session.recovered': ({ sessionId }) => runner.recovered(sessionId),
      'sessions.recovered': ({ sessionIds }) => runner.recoveredAll(sessionIds),
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
      closers.add(link.serve({ ...changeCommands.handlers(), ...worktreeCommands.handlers() }), (leave) =>
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
    },
    close: () => closers.close(),
  }
}

function createChanges(
  { clock, ids, config, home, git, link, onFault }: RunnerSideParts,
  asker: Asker,
): Changes {
  return new Changes({
    folder: join(home, 'snapshots'),
    never: [...new Set([home, realpathSync(home)])],
    program: git,
    settings: config.snapshots,
    retentionDays: config.retention,
    journal: link.journal,
    store: link.store,
    clock,
    ids,
    ask: (sessionId, size) => askAboutSize(asker, sessionId, size),
    onFault,
  })
}

function createWorktreeCommands(
  parts: RunnerSideParts,
  isTrustedHere: (cwd: string) => Promise<boolean>,
): WorktreeCommands {
  const { clock, config, home, git, hookEnvironment, link, onFault } = parts
  const { env } = hookEnvironment
  const settings = config.worktrees
  const worktrees = new Worktrees({
    program: git,
    env,
    settings,
    store: link.store,
    isTrusted: isTrustedHere,
    homes: [...new Set([home, realpathSync(home)])],
    now: () => new Date(clock.now()).toISOString(),
  })
  return new WorktreeCommands({ worktrees, journal: link.journal, settings, env, onFault })
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
