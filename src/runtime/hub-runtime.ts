/** A runtime whose runner is a process of its own: hub, terminals, and the socket to which the runner connects. */

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createMemoryBus } from '../bus/memory.js'
import { openHome } from '../home.js'
import { stopSession } from '../hub/stop-session.js'
import { retryDelay } from '../lib/back-off.js'
import type { Clock } from '../lib/clock.js'
import { systemClock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import { createIdSource } from '../lib/id.js'
import { createSecretSet } from '../lib/redact/secret-set.js'
import { secretsIn } from '../lib/redact/secret-value.js'
import { listenForRunner, type RunnerListener } from '../link/hub-end.js'
import { refuseForeignSetting } from '../named-file.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import { HubError } from '../protocol/error.js'
import { mergeOptions } from '../protocol/option/option.js'
import { reason, saying } from '../protocol/reason/reason.js'
import { secretsOfFolder } from '../session/gate/touched-secret.js'
import type { CloseOptions } from '../session/runner.js'
import { createLearnSecrets } from '../session/session-secrets.js'
import type { Store } from '../store/port.js'
import { openHomeStore } from './home-store.js'
import { createHubSide, type HubSide } from './hub-side.js'
import { learnFolders, learnPast } from './known-secrets.js'
import { modelKind } from './model-access.js'
import { digestOfBuild, hasOwnRunner, makeRunnerPlace, type RunnerBuild } from './runner-place.js'
import { GIVE_UP_MS, type Runtime, type RuntimeOptions, terminalParts } from './runtime.js'
import { createTerminalSide } from './terminal-side.js'

export interface HubRuntimeOptions extends RuntimeOptions, RunnerBuild {
  /** Starts the process of the runner, which outlives this one. */
  spawnRunner(): void
}

export type HubRuntime = Omit<Runtime, 'tools' | 'sessionTools' | 'setTimeouts'>

/** Timeout for a runner that does not start. */
const CONNECT_MS = 30_000
/** How often it is looked whether a runner that does not connect is still there. */
const LOOK_MS = 1_000
/** More than a runner waits between two attempts. */
const RECONNECT_MS = 1_500
const RELEASE_MS = 20
const RELEASE_TRIES = 100
/** A runner that has run this long did not fail at its start. */
const STABLE_MS = 60_000

export async function openHubRuntime(options: HubRuntimeOptions): Promise<HubRuntime> {
  const { config, scripted, env, onFault, spawnRunner } = options
  const { secrets = createSecretSet(secretsIn(env)) } = options
  const { log = { info: () => {}, error: (_, error) => onFault(error) } } = options
  const closers = new Closers(onFault)
  try {
    const home = openHome(options.home)
    refuseForeignSetting(config, home.path)
    const [ids, clock, logFolder] = [createIdSource(), systemClock, join(home.path, 'logs')]
    const retentionDays = config.retention
    const store = await openHomeStore(
      { home, clock, ids, secrets, log, logFolder, retentionDays, onFault },
      closers,
    )
    const { key, socket } = makeRunnerPlace(home.path)
    const bus = createMemoryBus()
    const inFolder = (path: string) => bus.call({ type: 'workspace.secrets', path })
    const learnSecrets = createLearnSecrets({ secrets, store, inFolder })
    const hubSide = closers.add(
      await createHubSide({ store, bus, clock, ids, config, home: home.path, learnSecrets, onFault }),
      (it) => it.close(),
    )
    const { journal, agentCalls, policyWatch, inbox } = hubSide
    await learnPast(store, secrets, mergeOptions(config.defaults, { mcpServers: config.mcpServers }))
    await inbox.start()
    const follows = options.followsTerminals === true && terminalParts(home, store, env, config, onFault)
    // The terminals are of this machine, so their folders are read here: the runner may be away.
    const learnFolder = async (path: string) => void secrets.learn(await secretsOfFolder(path), 'file')
    const terminalSide = createTerminalSide({
      bus,
      journal,
      store,
      clock,
      ids,
      learnFolder,
      ...follows,
      onFault,
    })
    closers.add(terminalSide, (it) => it.close())
    await terminalSide.start()
    const startedAt = new Date(clock.now()).toISOString()
    const listener = await listenForRunner({
      machine: LOCAL_MACHINE,
      journal,
      store,
      bus,
      agents: agentCalls,
      checkPolicy: () => policyWatch.check(),
      path: socket,
      key,
      build: digestOfBuild(options),
      secrets,
      onConnected() {
        endForsaken(store, { ...hubSide, bus }, startedAt).catch(onFault)
        learnFolders({ store, secrets, clock }, inFolder).catch(onFault)
      },
      onFault,
    })
    closers.add(listener, (it) => it.close())
    const supervisor = supervise({ home: home.path, listener, clock, spawnRunner, onFault })
    const closing: CloseOptions = {}
    closers.add(listener, async (it) => {
      if (closing.keepsProcesses) return // The runner goes on, and with it its sessions.
      // One that is just connecting again would go on for as long as it waits for a hub.
      if (await hasOwnRunner(home.path)) await inTime(it.connected(), clock, RECONNECT_MS).catch(() => {})
      await it.endRunner()
      await released(home.path)
    })
    closers.add(supervisor, (it) => it.stop())
    await inTime(listener.connected(), clock)
    const close: Runtime['close'] = ({ keepsProcesses = false } = {}) => {
      closing.keepsProcesses ??= keepsProcesses
      store.storage.giveUpAfter(GIVE_UP_MS)
      return closers.close()
    }
    const jail = {
      get status() {
        return listener.jail
      },
      verify: async () => listener.jail,
    }
    const model = modelKind(scripted, env)
    return { hub: hubSide.createHub(), store, clock, ids, home, model, secrets, jail, close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** Waits for the process of the runner, which ends behind its link. */
async function released(home: string): Promise<void> {
  for (let tries = 0; tries < RELEASE_TRIES && (await hasOwnRunner(home)); tries += 1) await wait(RELEASE_MS)
}

/** Sessions that were called as agents in the previous run of the hub: no caller waits for their results. */
async function endForsaken(
  store: Store,
  { journal, bus }: Parameters<typeof stopSession>[0] & Pick<HubSide, 'journal'>,
  before: string,
): Promise<void> {
  for (const id of await store.activeSessions(LOCAL_MACHINE)) {
    const session = await store.session(id)
    if (!session || session.parentToolUseId === null || session.createdAt >= before) continue
    await stopSession({ journal, bus }, id, saying(reason('end.caller-lost')))
  }
}

function inTime(connected: Promise<void>, clock: Clock, ms = CONNECT_MS): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () =>
      reject(
        new HubError(
          'session_not_driven',
          'The runner has not started. "signalbox logs" shows why; start without "--runner own" to have it in the daemon.',
        ),
      ),
    )
    connected.then(() => {
      cancel()
      resolve()
    }, reject)
  })
}

interface SupervisorDeps {
  home: string
  listener: RunnerListener
  clock: Clock
  spawnRunner(): void
  onFault(error: unknown): void
}

/** Keeps one runner running. One that has outlived the previous hub connects on its own. */
function supervise({ home, listener, clock, spawnRunner, onFault }: SupervisorDeps): { stop(): void } {
  const stopping = new AbortController()
  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      const isRunning = await hasOwnRunner(home)
      if (stopping.signal.aborted) return
      if (!isRunning) spawnRunner()
      // One that does not come has failed at its start, or is just ending.
      const isHere = await inTime(listener.connected(), clock, isRunning ? LOOK_MS : CONNECT_MS).then(
        () => true,
        () => false,
      )
      if (isRunning && !isHere) continue
      const since = clock.now()
      if (isHere) await listener.gone()
      failures = clock.now() - since < STABLE_MS ? failures + 1 : 1
      const delayMs = retryDelay(failures, { firstMs: 200, maxMs: 30_000 })
      await new Promise<void>((resolve) => {
        clock.after(delayMs, resolve)
      })
    }
  }
  run().catch(onFault)
  return {
    stop() {
      stopping.abort()
    },
  }
}
