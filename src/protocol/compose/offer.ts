/** Offers of the CLI: models with their efforts, commands and skills. */

import { z } from 'zod'
import { Effort } from '../option/option.js'
import { Timestamp } from '../value.js'

export const OfferedModel = z.strictObject({
  /** The name to choose it by. */
  value: z.string(),
  /** The id of the model that `value` stands for; null if the CLI does not say. */
  resolved: z.string().nullable(),
  /** As the CLI shows it. */
  name: z.string(),
  description: z.string(),
  /** Empty if it takes none. */
  efforts: z.array(Effort),
})
export type OfferedModel = z.infer<typeof OfferedModel>

export const OfferedModels = z.strictObject({
  models: z.array(OfferedModel),
  /** When a process last reported them; null if none has yet. */
  seenAt: Timestamp.nullable(),
})
export type OfferedModels = z.infer<typeof OfferedModels>

export const OfferedCommand = z.strictObject({
  /** Without the slash. */
  name: z.string(),
  description: z.string(),
  /** Arguments to write behind it, such as `<file>`. */
  argumentHint: z.string(),
  kind: z.enum(['command', 'skill']),
})
export type OfferedCommand = z.infer<typeof OfferedCommand>

/** As it is stored for each folder. */
export const FolderOffer = z.strictObject({ commands: z.array(OfferedCommand), seenAt: Timestamp })
export type FolderOffer = z.infer<typeof FolderOffer>
