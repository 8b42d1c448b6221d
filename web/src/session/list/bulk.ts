/** Actions on several sessions. Each is a request of its own, with its own audit entry. */

import { client, getState, setState } from '../../store/state.js'

/** Continues an interrupted turn, or sends the message of a failed one again. */
export async function continueSession(id: string): Promise<void> {
  await client.resumeSession({ params: { id }, body: { continue: true } })
}

/** No event reports the end of a deleted session: the page removes it from its list. */
export async function deleteSession(id: string): Promise<void> {
  await client.deleteSession({ params: { id } })
  const sessions = new Map(getState().sessions)
  sessions.delete(id)
  setState({ sessions })
}

/** Runs an action on each, one after the other. Rejects with the first failure, after all have had their turn. */
export async function forEach<Thing>(
  things: readonly Thing[],
  act: (thing: Thing) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  for (const thing of things) await act(thing).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
