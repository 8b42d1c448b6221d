/** Actions on several sessions. Each is a request of its own, with its own audit entry. */

import { client } from '../../store/state.js'

/** Continues an interrupted turn, or sends the message of a failed one again. */
export async function continueSession(id: string): Promise<void> {
  await client.resumeSession({ params: { id }, body: { continue: true } })
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
