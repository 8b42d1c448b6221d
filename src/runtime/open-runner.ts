/** A runner as a process of its own: everything beside the agents, and the link to the hub of the home. */

import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { homeAt } from '../home.js'
import { systemClock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import { readBranch } from '../lib/file/git-branch.js'
import { findProgram } from '../lib/git/run-git.js'
import { createIdSource } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import { connectToHub } from '../link/runner-end.js'
import { Spool } from '../link/spool.js'
import { createPolicyResolver } from '../policy/source/effective-policy.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import { claudeDriver } from '../session/claude/driver.js'
import { claudeEnvironment, systemEnvironment } from '../session/claude/environment.js'
import { createSdkLog } from '../session/claude/sdk-log.js'
import { lockFile } from '../store/home-lock.js'
import { chooseModel } from './model-access.js'
import { refuseForeignPolicy } from './policy-watch.js'
import { digestOfBuild, type RunnerBuild, readLinkKey, runnerPlace } from './runner-place.js'
import { createRunnerSide } from './runner-side.js'
import { BASH, emptyScratchFolder, openJail } from './runtime.js'

export interface RunnerOptions extends RunnerBuild {
  home: string
  env: Readonly<Record<string, string | undefined>>
  secrets: SecretSet
  log: Log
  /** The hub wants it to end, or no hub has come for long. */
  onEnd(): void
  onFault(error: unknown): void
}

/** Without a hub for this long, it ends its processes: they would run unattended. */
const LEASE_MS = 10 * 60_000
/** After the runner side has begun the test of the jail. */
const JAIL_MS = 1_000
/** Timeout for the hub to take the last events. They are in the spool as well. */
const FLUSH_MS = 2_000

/** Resolves when sessions are recovered and the hub can give commands. */
export async function openRunner(options: RunnerOptions): Promise<{ close(): Promise<void> }> {
  const { config, scripted, env, secrets, log, onEnd, onFault } = options
  const home = homeAt(realpathSync(options.home))
  const place = runnerPlace(home.path)
  const closers = new Closers(onFault)
  try {
    closers.add(await lockFile(place.lock), (it) => it.release())
    const [clock, ids] = [systemClock, createIdSource()]
    const sdkLog = createSdkLog({
      folder: join(home.path, 'logs'),
      hasCallerIds: false,
      clock,
      redact: (text) => secrets.redactInSlices(text),
      onFault,
    })
    closers.add(sdkLog, (it) => it.close())
    const spool = closers.add(new Spool(place.spool), (it) => it.close())
    const policyPath = createPolicyResolver(home.path, config).path
    const end = await connectToHub({
      path: place.socket,
      key: () => readLinkKey(place),
      machine: LOCAL_MACHINE,
      build: digestOfBuild(options),
      spool,
      clock,
      ids,
      leaseMs: LEASE_MS,
      checkPolicy: async () => refuseForeignPolicy(policyPath),
      onEnd,
      onFault,
    })
    closers.add(end, async (it) => {
      await Promise.race([it.flushed(), wait(FLUSH_MS, null, { ref: false })])
      it.close()
    })
    const { link } = end
    for (const { value, source } of await end.knownSecrets()) secrets.learn([value], source)
    const [newest] = await link.store.sessions({ limit: 1 })
    if (newest) ids.continueAfter(newest.id)
    const access = await chooseModel(scripted, env, closers)
    const jail = closers.add(openJail(home, config), (it) => it.close())
    const runnerSide = await createRunnerSide({
      link,
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
      tools: [],
      onFault,
    })
    closers.add(runnerSide, (it) => it.close())
    await runnerSide.start()
    end.tell({ jail: jail.status })
    // Tested once, by the runner side; this resolves with that result.
    if (config.readOnlyJail !== 'off')
      clock.after(JAIL_MS, () => void jail.verify().then((status) => end.tell({ jail: status })))
    return { close: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw error
  }
}
