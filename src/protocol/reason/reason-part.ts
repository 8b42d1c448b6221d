/** A reason on the wire. Separate from the table of texts, so that the dashboard does not load it. */

import { z } from 'zod'

/**
 * Any string is a valid code: the reader may be older than the writer, and shows the English text for an unknown code.
 */
export const ReasonPart = z.strictObject({ code: z.string(), params: z.record(z.string(), z.string()) })
export type ReasonPart = z.infer<typeof ReasonPart>

/** One part per sentence. */
export const ReasonParts = z.array(ReasonPart).max(10)
export type ReasonParts = z.infer<typeof ReasonParts>

/** Injection: each placeholder is replaced once, so a parameter that looks like a placeholder is not expanded. */
export function fillTemplate(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(params, name) ? (params[name] ?? place) : place,
  )
}
