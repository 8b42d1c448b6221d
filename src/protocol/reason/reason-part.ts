/** A reason on the wire. Without the table of texts, so that the dashboard does not load it. */

import { z } from 'zod'

/** The code is any text here: a reader may be older than the writer, and shows the English text for a code it does not know. */
export const ReasonPart = z.strictObject({ code: z.string(), params: z.record(z.string(), z.string()) })
export type ReasonPart = z.infer<typeof ReasonPart>

/** One part for each sentence. */
export const ReasonParts = z.array(ReasonPart).max(10)
export type ReasonParts = z.infer<typeof ReasonParts>

/** A user's text that looks like a placeholder is not filled in: each place is replaced once. */
export function fillTemplate(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(params, name) ? (params[name] ?? place) : place,
  )
}
