/** Questions that a runner may ask its hub, by name: no others are answered. */

import type { RunnerStore } from '../store/port/runner-store.js'

/** Reads and writes that may be repeated: a question that was cut off is asked again. */
export const STORE_METHODS = [
  'session',
  'sessions',
  'request',
  'requests',
  'readSession',
  'readAll',
  'resumePoints',
  'lastPosition',
  'recoveredUpTo',
  'setRecovered',
  'state',
  'setState',
  'states',
  'options',
  'trustedWorkspaces',
  'activeSessions',
] as const satisfies readonly (keyof RunnerStore)[]
export type StoreMethod = (typeof STORE_METHODS)[number]

export const ASK = {
  /** The snapshot, with what is being written. */
  snapshot: 'journal.session',
  checkPolicy: 'policy.check',
  lineage: 'agent.lineage',
  runAgent: 'agent.run',
  secrets: 'secrets.known',
} as const
