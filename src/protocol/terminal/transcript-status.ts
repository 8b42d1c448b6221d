/** The state of the import of transcripts. */

import { z } from 'zod'

export const TranscriptStatus = z.strictObject({
  /** False: the setting `transcripts.keep` is off. */
  isOn: z.boolean(),
  /** `listing`: it looks for transcripts. `importing`: it reads those of earlier sessions. `following`: it has read all. */
  state: z.enum(['off', 'listing', 'importing', 'following']),
  /** The folder of Claude Code's transcripts. */
  folder: z.string(),
  /** Folders that are left out. */
  excluded: z.array(z.string()),
  /** Sessions with a transcript, and those of them that are read to their end. */
  sessions: z.int().min(0),
  importedSessions: z.int().min(0),
  /** Size of their transcripts, and the part that is read. */
  bytes: z.int().min(0),
  importedBytes: z.int().min(0),
})
export type TranscriptStatus = z.infer<typeof TranscriptStatus>
