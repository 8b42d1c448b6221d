/** Prompts that users have saved under a name, for all operators of the home. */

import { z } from 'zod'
import { PROMPT_NAME } from '../choice.js'
import { Role } from '../role.js'
import { Timestamp } from '../value.js'

/** Composed, so that the same name from another keyboard is the same. */
export const PromptName = z
  .string()
  .normalize('NFC')
  .regex(PROMPT_NAME, 'Expected at most 60 letters, digits and . _ - beginning with a letter or digit')

export const PromptText = z.string().min(1).max(100_000)

export const SavedPrompt = z.strictObject({
  name: z.string(),
  text: z.string(),
  savedAt: Timestamp,
  savedBy: z.string(),
  /** Role of the credential that saved it. Only that role or a higher one can replace or delete it. */
  role: Role,
})
export type SavedPrompt = z.infer<typeof SavedPrompt>
