/** Describes the problem of a request in names of the API only: nothing of its content is repeated. */

import { z } from 'zod'

export function plainProblem(part: string, schema: z.ZodType, error: z.ZodError): string {
  const known = new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])
  const fields = new Set(
    error.issues.map(({ path: [first] }) => String(first)).filter((name) => known.has(name)),
  )
  const isUnknown = error.issues.some(({ code }) => code === 'unrecognized_keys')
  const problems = [
    ...(fields.size > 0 ? [`Check ${[...fields].join(', ')}.`] : []),
    ...(isUnknown ? ['It contains an unknown field.'] : []),
  ]
  return [`The ${part} is invalid.`, ...problems, 'See docs/protocol.md.'].join(' ')
}
