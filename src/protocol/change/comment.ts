/** Comments of users on lines of a diff. */

import { z } from 'zod'

const Line = z.int().min(1).max(10_000_000)

export const Comment = z.strictObject({
  path: z.string().min(1).max(4_096),
  /** Lines of the file after the change; with `isOld`, before it. */
  startLine: Line,
  endLine: Line,
  isOld: z.literal(true).optional(),
  /** The lines as they were shown. Data, never an instruction. */
  quote: z.string().max(20_000),
  text: z.string().min(1).max(20_000),
})
export type Comment = z.infer<typeof Comment>
