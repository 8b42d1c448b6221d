/** Defines event types: a name, and the shape of the data. */

import { z } from 'zod'

export function defineEvent<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  return z.strictObject({ type: z.literal(type), data: z.strictObject(shape) })
}

/** The subagent that an event belongs to: its id, and the tool call that started it. */
export const speaker = {
  agentId: z.string().optional(),
  parentToolUseId: z.string().optional(),
}
