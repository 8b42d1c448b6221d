/** Shared by the parts of the runner: the processes, and the order of the work in each session. */

import type { Sequencer } from '../../lib/sequencer.js'
import type { Session } from '../../protocol/session.js'
import type { Fleet } from '../fleet.js'
import type { Starts } from './pending-starts.js'

export interface SessionWork {
  fleet: Fleet
  /** Serialises the work of each session. */
  sequencer: Sequencer
  /** Starts in progress. A command that must not wait for a start cancels it first. */
  starts: Starts
  /** The session as it is now, if it is ours to drive and has not ended. */
  drivable(sessionId: string): Promise<Session | null>
}
