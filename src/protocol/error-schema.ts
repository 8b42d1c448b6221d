/** Schemas of errors on the wire. */

import { z } from 'zod'
import { errorCodes } from './error.js'

export const ErrorCode = z.enum(errorCodes)

export const ErrorBody = z.strictObject({
  error: z.strictObject({ code: ErrorCode, message: z.string(), details: z.record(z.string(), z.unknown()) }),
})
