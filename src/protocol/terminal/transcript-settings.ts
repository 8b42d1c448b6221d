/** Settings of transcripts: whether the conversations of terminals are kept, and which are not. */

import { z } from 'zod'

export const TranscriptSettings = z.strictObject({
  /** Keeps what the transcripts of Claude Code contain, also after Claude Code has deleted them. */
  keep: z.boolean().default(true),
  /** Conversations in these folders, and below them, are not read. */
  exclude: z.array(z.string().startsWith('/')).default([]),
})
export type TranscriptSettings = z.infer<typeof TranscriptSettings>
