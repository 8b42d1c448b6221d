/**
 * Joins the parts of a runtime, for the product and for tests: the same wiring around a database or a memory store, the
 * real CLI or a stand-in. The caller opens and closes the parts; what is created here is closed here.
 */

import type { Hub } from '../hub/port.js'
import { Closers } from '../lib/closers.js'
import { mergeOptions } from '../protocol/option/option.js'
import { createLearnSecrets } from '../session/session-secrets.js'
import { createHubSide, type HubSide, type HubSideParts } from './hub-side.js'
import { learnFolders, learnPast } from './known-secrets.js'
import { createRunnerSide, type RunnerSide, type RunnerSideParts } from './runner-side.js'

/** Both sides get what they share (store, bus, clock, ids, configuration) from here. */
export interface RuntimeParts extends Omit<HubSideParts, 'learnSecrets'>, Omit<RunnerSideParts, 'hub'> {}

export interface Assembly {
  readonly hub: Hub
  readonly hubSide: HubSide
  readonly runnerSide: RunnerSide
  /** Ends every process that it has started. The parts stay open. May be called twice. */
  close(): Promise<void>
}

/** Resolves when sessions can be created; those of the previous run may still be recovered (`Runner.start`). */
export async function assemble(parts: RuntimeParts): Promise<Assembly> {
  const { store, secrets, clock, config, onFault } = parts
  const closers = new Closers(onFault)
  try {
    const learnSecrets = createLearnSecrets({ secrets, store })
    const hubSide = closers.add(await createHubSide({ ...parts, learnSecrets }), (it) => it.close())
    const runnerSide = closers.add(await createRunnerSide({ ...parts, hub: hubSide }), (it) => it.close())
    hubSide.connect(runnerSide)
    // Before anything is written about sessions of the previous run: what they were given is as secret as before.
    await learnPast(store, secrets, mergeOptions(config.defaults, { mcpServers: config.mcpServers }))
    await learnFolders(store, secrets, clock).catch(onFault)
    await hubSide.inbox.start()
    await runnerSide.start()
    return { hub: hubSide.createHub(runnerSide), hubSide, runnerSide, close: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw error
  }
}
