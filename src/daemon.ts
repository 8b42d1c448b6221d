/** Chooses the adapters, joins everything and owns the process's part in it. */

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMemoryBus } from './bus/memory.js'
import type { Config } from './config.js'
import { type Home, lockHome, openHome, readToken, writeAddress } from './home.js'
import { createHub } from './hub.js'
import { createInbox } from './inbox/inbox.js'
import { createJournal } from './journal.js'
import { systemClock } from './lib/clock.js'
import { digest } from './lib/digest.js'
import { createIdSource } from './lib/id.js'
import type { Log } from './lib/log.js'
import { grantFor } from './policy/grant.js'
import { HubError } from './protocol/error.js'
import { demoScript } from './scripted/demo-script.js'
import { readScript, type ScriptInput } from './scripted/script.js'
import { startScriptedModel } from './scripted/server.js'
import { createAccess, newSecret } from './server/access.js'
import { startServer } from './server/server.js'
import { openClaude } from './session/claude-driver.js'
import { claudeEnvironment, hasAccount, type ModelAccess } from './session/claude-environment.js'
import { createRunner } from './session/runner.js'
import { openSqliteStore } from './store/sqlite.js'
import { readVersion } from './version.js'

export interface DaemonOptions {
  home: string
  config: Config
  /** `true`: the scripted model with its own script; a path: with this one; `null`: only if there is no account. */
  scripted: true | string | null
  env: Readonly<Record<string, string | undefined>>
  log: Log
}

export interface Daemon {
  readonly url: string
  /** Opens the dashboard in one browser, once. */
  readonly loginUrl: string
  readonly home: string
  readonly model: 'scripted' | 'account'
  readonly token: string
  /** Ends every process that it has started. May be called twice. */
  close(): Promise<void>
}

export async function startDaemon({
  home: path,
  config,
  scripted,
  env,
  log,
}: DaemonOptions): Promise<Daemon> {
  const home = openHome(path)
  const lock = await lockHome(home)
  const closers: (() => Promise<void> | void)[] = [() => lock.release()]
  // In the reverse order of opening; what fails to close does not keep the rest open.
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= closeAll(closers, log)
    return closing
  }
  const opened = <Thing>(thing: Thing, end: (thing: Thing) => Promise<void> | void): Thing => {
    closers.unshift(() => end(thing))
    return thing
  }
  const onFault = (error: unknown) => log.error('fault', error)

  try {
    const ids = createIdSource()
    const clock = systemClock
    const startedAt = new Date(clock.now()).toISOString()
    const store = opened(await openSqliteStore({ path: home.database, newId: () => ids.next('evt') }), (it) =>
      it.close(),
    )
    const journal = opened(createJournal({ store, clock, ids }), (it) => it.close())
    const { permissionTimeoutMs, questionTimeoutMs, whenBusy } = config
    const inbox = opened(
      createInbox({ journal, store, clock, ids, grantFor, permissionTimeoutMs, questionTimeoutMs }),
      (it) => it.close(),
    )
    const bus = createMemoryBus()
    const access = await chooseModel(scripted, env, opened)
    const runner = opened(
      createRunner({
        journal,
        inbox,
        clock,
        ids,
        store,
        bus,
        openClaude,
        ...claudeEnvironment(env, access, home.path),
        mark: digest(home.path).slice(0, 16),
        onFault,
      }),
      (it) => it.close(),
    )
    const hub = createHub({ journal, store, inbox, bus, ids, whenBusy })
    await runner.start()

    const token = readToken(home, () => newSecret(32))
    const doors = createAccess({ store, clock, ids, token })
    const model = access.kind
    const version = readVersion()
    const sampleWorkspace = model === 'scripted' ? makeSampleWorkspace(home) : null
    const server = opened(
      await startServer(
        {
          hub,
          access: doors,
          clock,
          ids,
          about: ({ name, role }) => ({
            name: 'signalbox',
            version,
            model,
            startedAt,
            pid: process.pid,
            home: home.path,
            sampleWorkspace,
            you: { name, role },
          }),
          isReady: () => store.lastPosition(),
          webFolder: fileURLToPath(new URL('./web/', import.meta.url)),
          onFault,
        },
        config,
      ),
      (it) => it.close(),
    )
    writeAddress(home, { url: server.url, pid: process.pid })
    const loginUrl = `${server.url}/#code=${doors.createLoginCode().code}`
    return { url: server.url, loginUrl, home: home.path, model, token, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Opened = <Thing>(thing: Thing, end: (thing: Thing) => Promise<void> | void) => Thing

async function chooseModel(
  scripted: DaemonOptions['scripted'],
  env: DaemonOptions['env'],
  opened: Opened,
): Promise<ModelAccess> {
  if (scripted === null && hasAccount(env, existsSync)) return { kind: 'account' }
  const script = typeof scripted === 'string' ? readScriptFile(scripted) : demoScript
  const model = opened(await startScriptedModel(script), (it) => it.close())
  return { kind: 'scripted', url: model.url }
}

export function readScriptFile(path: string): ScriptInput {
  try {
    return readScript(readFileSync(path, 'utf8'))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unknown failure'
    throw new HubError(
      'script_invalid',
      `The script ${path} can not be used. ${problem}`,
      { path },
      { cause },
    )
  }
}

/** A folder to try things in, so that nobody has to point an agent at real work first. */
function makeSampleWorkspace({ path }: Home): string {
  const folder = join(path, 'sample-workspace')
  mkdirSync(folder, { recursive: true })
  return folder
}

async function closeAll(closers: readonly (() => Promise<void> | void)[], log: Log): Promise<void> {
  for (const end of closers) {
    try {
      await end()
    } catch (error) {
      log.error('could not close', error)
    }
  }
}
