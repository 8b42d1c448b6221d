/** How an event type is defined: its name and the shape of its data. */

import { z } from 'zod'

export function defineEvent<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  return z.strictObject({ type: z.literal(type), data: z.strictObject(shape) })
}

/** Where a subagent speaks: the agent, and the tool call that started it. */
export const speaker = {
  agentId: z.string().optional(),
  parentToolUseId: z.string().optional(),
}
