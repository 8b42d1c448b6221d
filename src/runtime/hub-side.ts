/**
 * The hub side of a runtime: journal, inbox, policy and hub, as reached by users and clients. Owns the store and starts
 * no process.
 */

import type { Bus } from '../bus/port.js'
import type { Config } from '../config.js'
import { type AgentCalls, createAgentCalls } from '../hub/agent-calls.js'
import { createHub } from '../hub/hub.js'
import type { Hub, HubDeps, PolicyWatch } from '../hub/port.js'
import { createInbox, type Inbox } from '../inbox/inbox.js'
import { createJournal, type Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import { exactGrant } from '../policy/rule/grant.js'
import { createPolicyResolver } from '../policy/source/effective-policy.js'
import type { Store } from '../store/port.js'
import { createPolicyWatch } from './policy-watch.js'

export interface HubSideParts {
  store: Store
  bus: Bus
  clock: Clock
  ids: IdSource
  config: Config
  /** The folder of the policy file. */
  home: string
  learnSecrets: HubDeps['learnSecrets']
  onFault(error: unknown): void
}

export interface HubSide {
  readonly journal: Journal
  readonly inbox: Inbox
  readonly agentCalls: AgentCalls
  readonly policyWatch: PolicyWatch
  createHub(): Hub
  close(): Promise<void>
}

export async function createHubSide(parts: HubSideParts): Promise<HubSide> {
  const { store, bus, clock, ids, config, home, learnSecrets, onFault } = parts
  const { whenBusy, agents, mcpServers, allowedVariables } = config
  const closers = new Closers(onFault)
  try {
    const journal = closers.add(createJournal({ store, clock, ids }), (it) => it.close())
    const inbox = closers.add(
      createInbox({
        journal,
        store,
        clock,
        after: await store.lastPosition(),
        grantFor: exactGrant,
        recovered: (sessionId) => bus.call({ type: 'session.recovered', sessionId }),
        onFault,
      }),
      (it) => it.close(),
    )
    const policies = createPolicyResolver(home, config)
    const policyWatch = createPolicyWatch({ path: policies.path, store, clock })
    await policyWatch.check()
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
    return {
      journal,
      inbox,
      agentCalls,
      policyWatch,
      createHub: () =>
        createHub({
          journal,
          store,
          inbox,
          bus,
          ids,
          clock,
          whenBusy,
          agents,
          mcpServers,
          allowedVariables,
          learnSecrets,
          policyResolver: policies,
          policyWatch,
        }),
      close: () => closers.close(),
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}
