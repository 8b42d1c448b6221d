/**
 * Opens a runtime in a home: opens the parts (database, model, jail, logs) and assembles them. Everything except the
 * server.
 */

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryBus } from '../bus/memory.js'
import type { Config } from '../config.js'
import { type Home, homeAt, openHome } from '../home.js'
import type { Hub } from '../hub/port.js'
import { createJail, type Jail } from '../jail/jail.js'
import { type Clock, systemClock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import { readBranch } from '../lib/file/git-branch.js'
import { findProgram } from '../lib/git/run-git.js'
import { createIdSource, type IdSource } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import { createSecretSet, type SecretSet } from '../lib/redact/secret-set.js'
import { secretsIn } from '../lib/redact/secret-value.js'
import { refuseForeignSetting } from '../named-file.js'
import type { RequestTimeouts } from '../protocol/request.js'
import type { ScriptInput } from '../scripted/script.js'
import { claudeDriver } from '../session/claude/driver.js'
import { claudeEnvironment, type ModelAccess, systemEnvironment } from '../session/claude/environment.js'
import { MARK } from '../session/claude/process-identity.js'
import { createSdkLog } from '../session/claude/sdk-log.js'
import { Keeper, keeperObstacle } from '../session/keeper/keeper-client.js'
import type { CloseOptions } from '../session/runner.js'
import type { Store } from '../store/port.js'
import type { SqliteStorePort } from '../store/sqlite/store.js'
import { startErrorOf } from '../store/start-error.js'
import { claudeFolderOf, streamPathOf } from '../terminal/stream/paths.js'
import { openTerminals } from '../terminal/terminals.js'
import type { ToolRegistry } from '../tool/registry.js'
import type { SessionToolBook } from '../tool/session-tool-book.js'
import type { Tool } from '../tool/tool.js'
import { createTranscriptUsage } from '../usage/transcript-usage.js'
import { assemble, type RuntimeParts } from './assemble.js'
import { bundledClaude } from './bundled-claude.js'
import { openHomeStore } from './home-store.js'
import { openKeptModel } from './kept-model.js'
import { chooseModel } from './model-access.js'
import { refuseOwnRunner } from './runner-place.js'

export interface RuntimeOptions {
  home: string
  config: Config
  /**
   * `true`: scripted model with the demo script; a path: with that script; `null`: scripted only if there is no
   * account.
   */
  scripted: true | string | null
  env: Readonly<Record<string, string | undefined>>
  /** Also follows terminal sessions. */
  followsTerminals?: boolean
  /** Processes of sessions may outlive this one, and the next one attaches to them. */
  canKeepProcesses?: boolean
  /** Additional tools, besides the built-in ones and those loaded from the files named in the settings. */
  tools?: Iterable<Tool>
  /** Log for tools. */
  log?: Log
  /** The SDK log names sessions by the caller's own ids. */
  logsCallerIds?: boolean
  /**
   * Values redacted from every log, from the audit and from responses to viewers. Default: the secrets in the
   * environment variables.
   */
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
  /** Tools can be added later; sessions that start afterwards get them. */
  readonly tools: ToolRegistry
  /** Tools of a single session. */
  readonly sessionTools: SessionToolBook
  /** Time until requests of a single session are denied. */
  setTimeouts(sessionId: string, timeouts: RequestTimeouts): void
  readonly secrets: SecretSet
  readonly jail: Pick<Jail, 'status' | 'verify'>
  /** Kills every process that the runtime started, or with `keepsProcesses` leaves those of sessions. Idempotent. */
  close(options?: CloseOptions): Promise<void>
}

export const BASH = '/bin/bash'
/** Timeout for the last writes on close, for a disk that does not respond. */
export const GIVE_UP_MS = 3_000

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { home: path, config, scripted, env, onFault } = options
  const { secrets = createSecretSet(secretsIn(env)) } = options
  const { log = { info: () => {}, error: (_, error) => onFault(error) } } = options
  const closers = new Closers(onFault)
  try {
    const home = openHome(path)
    refuseForeignSetting(config, home.path)
    const [ids, clock, logFolder] = [createIdSource(), systemClock, join(home.path, 'logs')]
    const store = await openHomeStore(
      { home, clock, ids, secrets, log, logFolder, retentionDays: config.retention, onFault },
      closers,
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
    await refuseOwnRunner(home.path)
    const keeper = openKeeper(home, options)
    if (keeper) closers.add(keeper, (it) => it.close())
    const closing: CloseOptions = {}
    const keepModel = async (script: ScriptInput) => {
      const model = keeper && (await openKeptModel(keeper, home.path, script))
      return model && closers.add(model, (it) => it.close(closing))
    }
    const access = await chooseModel(scripted, env, closers, keepModel)
    const jail = closers.add(openJail(home, config), (it) => it.close())
    const assembly = closers.add(
      await assemble({
        keeper,
        closing,
        store,
        bus: createMemoryBus(),
        clock,
        ids,
        config,
        home: home.path,
        userHome: env['HOME'] ?? '/',
        claude: claudeDriver,
        claudeEnvironment: claudeEnvironment(env, access, home.path, existsSync(BASH) ? BASH : null),
        hookEnvironment: { env: systemEnvironment(env), scratchFolder: emptyScratchFolder(home) },
        sdkLog,
        toolLog: log,
        secrets,
        jail,
        branchOf: readBranch,
        git: findProgram('git', env['PATH']),
        tools: options.tools ?? [],
        oldProcesses: store.oldProcesses,
        ...(options.followsTerminals === true && terminalParts(home, store, env, config, onFault)),
        onFault,
      }),
      (it) => it.close(),
    )
    const { hub, runnerSide } = assembly
    const { toolRegistry: tools, sessionTools, asker } = runnerSide
    const setTimeouts: Runtime['setTimeouts'] = (id, timeouts) => asker.setTimeouts(id, timeouts)
    const close = ({ keepsProcesses = false }: CloseOptions = {}) => {
      closing.keepsProcesses ??= keepsProcesses
      store.storage.giveUpAfter(GIVE_UP_MS)
      return closers.close()
    }
    return {
      hub,
      store,
      clock,
      ids,
      home,
      model: access.kind,
      tools,
      sessionTools,
      setTimeouts,
      secrets,
      jail,
      close,
    }
  } catch (error) {
    await closers.close()
    throw startErrorOf(error, homeAt(path))
  }
}

function openKeeper(home: Home, { config, canKeepProcesses = false }: RuntimeOptions): Keeper | null {
  const runFolder = join(home.path, 'run')
  if (!canKeepProcesses || config.keeper === 'off' || keeperObstacle(runFolder) !== null) return null
  return new Keeper({ runFolder, keepMs: config.keepMs })
}

export function openJail(home: Home, config: Config): Jail {
  return createJail({
    home: home.path,
    claudeProgram: config.claudePath ?? bundledClaude(),
    mark: MARK,
    platform: process.platform,
    arch: process.arch,
  })
}

/** Leftover files belong to processes of a previous run. */
export function emptyScratchFolder(home: Home): string {
  const folder = join(home.path, 'tmp')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

export function terminalParts(
  home: Home,
  store: SqliteStorePort,
  env: RuntimeOptions['env'],
  { transcripts, retention }: Pick<Config, 'transcripts' | 'retention'>,
  onFault: RuntimeOptions['onFault'],
): Pick<RuntimeParts, 'openTerminals' | 'transcripts'> {
  const claudeFolder = claudeFolderOf(env)
  return {
    openTerminals: (shared) =>
      openTerminals({
        ...shared,
        database: store.database,
        write: (work) => store.writer.attempt(work),
        read: (work) => store.writer.read(work),
        path: streamPathOf(env),
        claudeFolder,
        home: home.path,
        transcripts,
        retentionDays: retention,
        onFault,
      }),
    transcripts: createTranscriptUsage({ folder: join(claudeFolder, 'projects'), store }),
  }
}
