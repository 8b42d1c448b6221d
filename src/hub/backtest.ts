/** The same recorded calls under two policies. Grants are left out: they are decisions of a user, not of a policy. */

import type { Bus } from '../bus/port.js'
import type { Clock } from '../lib/clock.js'
import type { Policy } from '../protocol/policy/policy.js'
import type { Backtest } from '../protocol/policy/policy-body.js'
import type { CallInPlace, CallPlace } from '../protocol/runner-command.js'
import type { Session } from '../protocol/session.js'
import { describeCall } from '../protocol/view/describe.js'
import type { Store } from '../store/port.js'
import { type RecordedCall, recordedCalls } from './recorded-call.js'

export interface BacktestDeps {
  store: Store
  bus: Bus
  clock: Clock
  placeOf(session: Session): Promise<CallPlace>
}

const MAX_CALLS = 20_000
const MAX_CHANGES = 1_000
/** Calls that the runner judges at once. */
const PAGE = 100

interface Replayed extends CallInPlace {
  recorded: RecordedCall
}

export async function comparePolicies(
  before: Policy,
  after: Policy,
  since: string,
  deps: BacktestDeps,
): Promise<Backtest> {
  const { calls, isTruncated } = await recordedCalls(deps.store, since, MAX_CALLS)
  const counts = { before: { allow: 0, deny: 0, ask: 0 }, after: { allow: 0, deny: 0, ask: 0 } }
  const changes: Backtest['changes'] = []
  const replay = createReplay(deps)
  for (let start = 0; start < calls.length; start += PAGE) {
    const page = (await Promise.all(calls.slice(start, start + PAGE).map(replay))).filter((it) => it !== null)
    const judged = page.map(({ call, place }) => ({ call, place }))
    const verdicts = await deps.bus.call({ type: 'policy.judge', calls: judged, before, after })
    for (const [index, both] of verdicts.entries()) {
      const replayed = page[index]
      if (!replayed) continue
      counts.before[both.before.verdict]++
      counts.after[both.after.verdict]++
      if (both.before.verdict !== both.after.verdict) changes.push({ ...changeOf(replayed), ...both })
    }
  }
  return { since, calls: calls.length, isTruncated, ...counts, changes: changes.slice(-MAX_CHANGES) }
}

/** A recorded call as it is judged again; null if its session is gone. */
function createReplay({ store, clock, placeOf }: BacktestDeps) {
  const places = new Map<string, Promise<{ cwd: string; place: CallPlace } | null>>()
  const find = async (id: string) => {
    const session = await store.session(id)
    return session && { cwd: session.cwd, place: await placeOf(session) }
  }
  return async (recorded: RecordedCall): Promise<Replayed | null> => {
    const { sessionId, tool, input, mode, agent } = recorded
    const finding = places.get(sessionId) ?? find(sessionId)
    places.set(sessionId, finding)
    const found = await finding
    if (!found) return null
    const now = new Date(clock.now()).toISOString()
    return { recorded, place: found.place, call: { tool, input, mode, agent, cwd: found.cwd, now } }
  }
}

function changeOf({ recorded, call }: Replayed) {
  const { sessionId, toolUseId, at, tool, input, outcome } = recorded
  return { sessionId, toolUseId, at, tool, title: describeCall(tool, input, call.cwd), outcome }
}
