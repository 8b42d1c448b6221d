/** Formats of other products in which events can be sent. */

import { z } from 'zod'

export const DialectName = z.enum(['manager', 'unified', 'ag-ui'])
export type DialectName = z.infer<typeof DialectName>

/** Whether the account is billed per use or has a flat rate. */
export const Billing = z.enum(['api', 'subscription'])
export type Billing = z.infer<typeof Billing>
