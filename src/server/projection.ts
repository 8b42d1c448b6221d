/**
 * What readers are sent for an event: the event itself, or what it means in the format of another product. A projection is
 * a plain function of the event: the same for every reader, so that its result is put into bytes once for all of them.
 */

import type { Delta, SessionEvent } from '../protocol/event.js'

export type Projection = (event: SessionEvent | Delta) => readonly object[]

/** By the name that a reader asks for. */
export const projections = {
  native: (event) => [event],
} as const satisfies Record<string, Projection>
export type ProjectionName = keyof typeof projections
