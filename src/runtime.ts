/** Joins everything but the server: a home, its store, the hub and the runner. */

import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keepSeal, sealsEntries } from './audit/seal.js'
import { checkSeal } from './audit/seal-check.js'
import { createMemoryBus } from './bus/memory.js'
import type { Config } from './config.js'
import { alreadyRunning, type Home, homeAt, lockHome, openHome } from './home.js'
import { createAgentCalls } from './hub/agent-calls.js'
import { createHub } from './hub/hub.js'
import { createPolicyWatch } from './hub/policy-watch.js'
import type { Hub } from './hub/port.js'
import { createInbox } from './inbox/inbox.js'
import { createJail, type Jail } from './jail/jail.js'
import { createJournal } from './journal/journal.js'
import { abortable } from './lib/abortable.js'
import { type Clock, systemClock } from './lib/clock.js'
import { Closers } from './lib/closers.js'
import { digest } from './lib/digest.js'
import { readBranch } from './lib/file/git-branch.js'
import { createIdSource, type IdSource } from './lib/id.js'
import type { Log } from './lib/log.js'
import { createSecretSet, type SecretSet } from './lib/redact/secret-set.js'
import { secretsIn } from './lib/redact/secret-value.js'
import { refuseForeignSetting } from './named-file.js'
import { exactGrant } from './policy/rule/grant.js'
import { createPolicyResolver } from './policy/source/effective-policy.js'
import { HubError } from './protocol/error.js'
import { mergeOptions, type SessionOptions } from './protocol/option/option.js'
import type { Session } from './protocol/session.js'
import { storageUnavailable } from './protocol/storage.js'
import { demoScript } from './scripted/demo-script.js'
import { readScript, type ScriptInput } from './scripted/script.js'
import { startScriptedModel } from './scripted/server.js'
import { claudeDriver } from './session/claude/driver.js'
import {
  claudeEnvironment,
  hasAccount,
  type ModelAccess,
  systemEnvironment,
} from './session/claude/environment.js'
import { MARK } from './session/claude/process-identity.js'
import { bundledClaude } from './session/claude/program.js'
import { createSdkLog, pruneSdkLogs } from './session/claude/sdk-log.js'
import { deniedReads } from './session/gate/denied-read.js'
import { createFileGuard } from './session/gate/file-guard.js'
import { jailSettingsAt } from './session/gate/session-jail.js'
import { secretsOfFolder } from './session/gate/touched-secret.js'
import { secretsOf } from './session/launch.js'
import { createRunner, type Runner } from './session/runner.js'
import { createLearnSecrets } from './session/session-secrets.js'
import { isTrusted } from './session/trust.js'
import { watchFiles } from './store/file-watch.js'
import { AlreadyLocked, claimDatabase, type DatabaseClaim } from './store/home-lock.js'
import type { Store } from './store/port.js'
import { keepRetention } from './store/retention.js'
import { openSqliteStore, type SqliteStorePort } from './store/sqlite/store.js'
import { startErrorOf } from './store/start-error.js'
import { claudeFolderOf, streamPathOf } from './terminal/stream/paths.js'
import { openTerminals, type Terminals } from './terminal/terminals.js'
import { type BuiltInDeps, builtInTools } from './tool/built-in/built-in.js'
import { describeTools } from './tool/describe.js'
import { loadTools } from './tool/load.js'
import { PROGRAM, ToolRegistry } from './tool/registry.js'
import { SessionToolBook } from './tool/session-tool-book.js'
import type { Tool } from './tool/tool.js'
import { createTranscriptUsage } from './usage/transcript-usage.js'

export interface RuntimeOptions {
  home: string
  config: Config
  /** `true`: the scripted model with its own script; a path: with this one; `null`: only if there is no account. */
  scripted: true | string | null
  env: Readonly<Record<string, string | undefined>>
  /** Whether the sessions of terminals are followed as well. */
  followsTerminals?: boolean
  /** Besides the built-in ones and those of the files that the settings name. */
  tools?: Iterable<Tool>
  /** What tools write about themselves. */
  log?: Log
  /** Lines of the SDK's log are about the caller's own ids. */
  logsCallerIds?: boolean
  /** Taken out of every log, the audit, and what people see who may only look. Those of the variables if not given. */
  secrets?: SecretSet
  onFault(error: unknown): void
}

export interface Runtime {
  readonly hub: Hub
  readonly store: Store
  readonly clock: Clock
  readonly ids: IdSource
  readonly home: Home
  readonly model: ModelAccess['kind']
  /** More can be added; sessions that start afterwards have them. */
  readonly tools: ToolRegistry
  /** Those that only one session has. */
  readonly sessionTools: SessionToolBook
  readonly secrets: SecretSet
  /** The read-only jail of this machine. */
  readonly jail: Pick<Jail, 'status' | 'verify'>
  /** Ends every process that it has started. May be called twice. */
  close(): Promise<void>
}

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { home: path, config, scripted, env, followsTerminals = false, onFault } = options
  const { secrets = createSecretSet(secretsIn(env)) } = options
  const { log = { info: () => {}, error: (_, error) => onFault(error) } } = options
  const closers = new Closers(onFault)
  try {
    let terminals: Terminals | undefined
    let recovered: Runner['recovered'] = async () => {}
    const home = openHome(path)
    refuseForeignSetting(config, home.path)
    const lock = closers.add(await lockHome(home), (it) => it.release())
    const ids = createIdSource()
    const clock = systemClock
    const store = closers.add(
      await openSqliteStore({
        path: home.database,
        newId: () => ids.next('evt'),
        redact: (text) => secrets.redact(text),
        hadData: sealsEntries(home.auditSeal),
        onFault,
      }),
      (it) => it.close(),
    )
    closers.add(claimOf(store, home), (claim) => giveUp(claim, store))
    const scratchFolder = join(home.path, 'tmp')
    // Left over from processes of a previous run.
    rmSync(scratchFolder, { recursive: true, force: true })
    mkdirSync(scratchFolder, { recursive: true, mode: 0o700 })
    closers.add(
      watchFiles({
        path: home.database,
        store,
        lock,
        clock,
        onNotice: (message) => onFault(new Error(message)),
        onFault,
      }),
      (it) => it.close(),
    )
    closers.add(
      store.storage.onChange((problem) => {
        if (problem) log.error('storage_unavailable', storageUnavailable(problem))
        else log.info('storage_available', {})
      }),
      (leave) => leave(),
    )
    const [newest] = await store.sessions({ limit: 1 })
    if (newest) ids.continueAfter(newest.id)
    const auditProblem = await checkSeal(store, home.auditSeal, new Date(clock.now()).toISOString())
    if (auditProblem !== null) {
      onFault(new Error(`${auditProblem} See "signalbox audit verify" and docs/inbox.md.`))
      // An older copy of the database may have been put in place: numbers that readers have seen must not come again.
      await store.breakLog(clock.now())
    }
    closers.add(
      await keepSeal({ path: home.auditSeal, clock, head: () => store.auditHead(), onFault }),
      (it) => it.close(),
    )
    const logFolder = join(home.path, 'logs')
    closers.add(
      keepRetention({
        store,
        prune: (before) => pruneSdkLogs(logFolder, before),
        clock,
        days: config.retention,
        onFault,
      }),
      (it) => it.close(),
    )
    const journal = closers.add(createJournal({ store, clock, ids }), (it) => it.close())
    const { permissionTimeoutMs, questionTimeoutMs, whenBusy, agents, defaults, onRestart } = config
    const inbox = closers.add(
      createInbox({
        journal,
        store,
        clock,
        ids,
        grantFor: exactGrant,
        permissionTimeoutMs,
        questionTimeoutMs,
        isHeld: (requestId) => terminals?.isHeld(requestId) ?? false,
        recovered: (sessionId) => recovered(sessionId),
        onFault,
      }),
      (it) => it.close(),
    )
    const sdkLog = closers.add(
      createSdkLog({
        folder: logFolder,
        hasCallerIds: options.logsCallerIds ?? false,
        clock,
        redact: (text) => secrets.redactInSlices(text),
        onFault,
      }),
      (it) => it.close(),
    )
    const policies = createPolicyResolver(home.path, config)
    const policyWatch = createPolicyWatch({ path: policies.path, store, clock })
    await policyWatch.check()
    const policyFor = async ({ cwd, policy }: Session) => {
      await policyWatch.check()
      return policies.at({
        workspace: cwd,
        preset: policy,
        isTrusted: isTrusted(cwd, await store.trustedWorkspaces()),
      })
    }
    const bus = createMemoryBus()
    const access = await chooseModel(scripted, env, closers)
    const learnSecrets = createLearnSecrets({ secrets, store })
    const agentCalls = closers.add(
      createAgentCalls({
        journal,
        store,
        bus,
        ids,
        agents,
        whenBusy,
        ownHomes: policies.ownHomes,
        learnSecrets,
        onFault,
      }),
      (it) => it.close(),
    )
    const guard = createFileGuard({
      journal,
      policyFor,
      home: env['HOME'] ?? '/',
      now: () => new Date(clock.now()).toISOString(),
    })
    const tools = await createTools(config, home, { clock, guard, agentPort: agentCalls })
    for (const tool of options.tools ?? []) tools.register(tool, PROGRAM)
    const sessionTools = new SessionToolBook(tools)
    const jail = closers.add(
      createJail({
        home: home.path,
        claudeProgram: config.claudePath ?? bundledClaude(),
        mark: MARK,
        platform: process.platform,
        arch: process.arch,
      }),
      (it) => it.close(),
    )
    const runner = closers.add(
      createRunner({
        journal,
        inbox,
        clock,
        ids,
        store,
        bus,
        sdkLog,
        secrets,
        policyFor,
        branchOf: readBranch,
        jail,
        jailSettingsFor: async ({ cwd }) =>
          jailSettingsAt(
            config,
            isTrusted(cwd, await store.trustedWorkspaces()) ? policies.workspaceFile(cwd) : null,
          ),
        claude: claudeDriver,
        toolsOf: (sessionId) => sessionTools.of(sessionId),
        toolLog: log,
        hooks: { settings: config.hooks, env: systemEnvironment(env), scratchFolder },
        ...claudeEnvironment(env, access, home.path, existsSync(BASH) ? BASH : null),
        claudePath: config.claudePath,
        defaults,
        mcpServers: config.mcpServers,
        allowedVariables: config.allowedVariables,
        workspaceFile: (workspace) => policies.workspaceFile(workspace),
        agents,
        limits: config,
        onRestart,
        deniedReads: deniedReads([...new Set([home.path, realpathSync(home.path)])]),
        mark: digest(home.path).slice(0, 16),
        onFault,
      }),
      (it) => it.close(),
    )
    recovered = (sessionId) => runner.recovered(sessionId)
    await learnPast(store, secrets, mergeOptions(defaults, { mcpServers: config.mcpServers }))
    await learnFolders(store, secrets, clock).catch(onFault)
    await inbox.start()
    await runner.start()
    // In the background: nobody waits for it, and until it is verified there is no jail. It blocks the event loop for
    // a moment, so the server listens first.
    if (config.readOnlyJail !== 'off')
      closers.add(
        clock.after(JAIL_TEST_MS, () => void jail.verify()),
        (cancel) => cancel(),
      )
    terminals = followsTerminals
      ? closers.add(
          await openTerminals({
            journal,
            store,
            clock,
            ids,
            database: store.database,
            write: (work) => store.writer.attempt(work),
            path: streamPathOf(env),
            claudeFolder: claudeFolderOf(env),
            home: home.path,
            onFault,
          }),
          (it) => it.close(),
        )
      : undefined
    const hub = createHub({
      journal,
      store,
      inbox,
      bus,
      ids,
      clock,
      whenBusy,
      agents,
      mcpServers: config.mcpServers,
      allowedVariables: config.allowedVariables,
      tools: () => describeTools(tools),
      recovered,
      recoveredAll: (sessionIds) => runner.recoveredAll(sessionIds),
      terminals,
      transcripts: followsTerminals
        ? createTranscriptUsage({ folder: join(claudeFolderOf(env), 'projects'), store })
        : undefined,
      learnSecrets,
      policyResolver: policies,
      policyWatch,
      userHome: env['HOME'] ?? '/',
    })
    const close = () => {
      store.storage.giveUpAfter(GIVE_UP_MS)
      return closers.close()
    }
    return { hub, store, clock, ids, home, model: access.kind, tools, sessionTools, secrets, jail, close }
  } catch (error) {
    await closers.close()
    throw startErrorOf(error, homeAt(path))
  }
}

/** What sessions of earlier lives were given stands in their logs; it is as secret as before. */
async function learnPast(store: Store, secrets: SecretSet, defaults: SessionOptions): Promise<void> {
  for (const { value, source } of await store.secrets()) secrets.learn([value], source)
  for (const options of [defaults, ...(await store.allOptions()).map((stored) => stored.options)])
    secrets.learn(secretsOf({ options, mcpServers: options.mcpServers ?? {} }))
}

/** Folders on a file system that does not answer must not keep the daemon from starting. */
async function learnFolders(store: Store, secrets: SecretSet, clock: Clock): Promise<void> {
  const late = new AbortController()
  const cancel = clock.after(LEARN_MS, () => late.abort(new Error(SLOW_FOLDER)))
  try {
    const sessions = await store.sessions({ limit: REMEMBERED_SESSIONS })
    for (const folder of new Set(sessions.map(({ cwd }) => cwd)))
      secrets.learn(await abortable(secretsOfFolder(folder), late.signal), 'file')
  } finally {
    cancel()
  }
}

/** The lock file may have been deleted while another daemon runs; the database knows. */
function claimOf({ database }: SqliteStorePort, { path, database: file }: Home): DatabaseClaim {
  try {
    return claimDatabase(database, file)
  } catch (error) {
    throw error instanceof AlreadyLocked ? alreadyRunning(path, error) : error
  }
}

/** The process may live on without the box: nothing of it must keep other processes out. */
async function giveUp(claim: DatabaseClaim, { writer }: SqliteStorePort): Promise<void> {
  try {
    // A database that was deleted or replaced keeps no process out.
    if (writer.problem?.kind !== 'moved') await writer.run(() => claim.remove(), UNCLAIM_MS)
  } finally {
    claim.forget()
  }
}

const BASH = '/bin/bash'
/** How long the end of a claim may wait for another program's lock. */
const UNCLAIM_MS = 1_000
/** How long a box that closes waits for a disk that takes nothing. */
const GIVE_UP_MS = 3_000
/** When the jail is tested after a start. */
const JAIL_TEST_MS = 500
const REMEMBERED_SESSIONS = 1_000
/** How long a start may look for secrets in the folders of earlier sessions. */
const LEARN_MS = 5_000
const SLOW_FOLDER =
  'A folder of an earlier session did not answer in 5 s. Secrets in the files of such folders are redacted once a session works there.'

/** Our tools, and those of the person's own files. */
async function createTools(
  { agents, agentLimits, tools }: Config,
  home: Home,
  parts: Pick<BuiltInDeps, 'clock' | 'guard' | 'agentPort'>,
): Promise<ToolRegistry> {
  const registry = new ToolRegistry(builtInTools({ ...parts, agents, agentLimits }))
  for (const { tool, file } of await loadTools(tools, home.path)) registry.register(tool, file)
  return registry
}

async function chooseModel(
  scripted: RuntimeOptions['scripted'],
  env: RuntimeOptions['env'],
  closers: Closers,
): Promise<ModelAccess> {
  // A caller without types may give something else, and must not get the answers of the demo instead.
  if (scripted !== null && scripted !== true && typeof scripted !== 'string')
    throw new HubError('script_invalid', '"scripted" is true, or the path of a script.')
  if (scripted === null && hasAccount(env, existsSync)) return { kind: 'account' }
  const script = typeof scripted === 'string' ? readScriptFile(scripted) : demoScript
  const model = closers.add(await startScriptedModel(script), (it) => it.close())
  // A program that holds a box and has nothing more to do may end; the daemon has a server of its own.
  model.unref()
  return { kind: 'scripted', url: model.url }
}

export function readScriptFile(path: string): ScriptInput {
  try {
    return readScript(readFileSync(path, 'utf8'))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unknown failure'
    throw new HubError('script_invalid', `The script ${path} is invalid. ${problem}`, { path }, { cause })
  }
}
