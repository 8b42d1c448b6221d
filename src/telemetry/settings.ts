/** Settings of the export to an OpenTelemetry collector. Only in the home's configuration. */

import { z } from 'zod'

export const TelemetrySettings = z.strictObject({
  /** Address of a collector that accepts OTLP over HTTP, without `/v1/…`. Without it nothing is exported. */
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(4_096)).default({}),
  signals: z.array(z.enum(['traces', 'metrics', 'logs'])).default(['traces', 'metrics', 'logs']),
  /** Prompts, inputs and results of tools, and folders are exported too, with known secrets redacted. */
  content: z.boolean().default(false),
  /** Sessions learn of their trace (TRACEPARENT). Then no process is kept warm. */
  propagate: z.boolean().default(true),
  /** Private addresses and networks that the collector may have, besides this machine. */
  privateAddresses: z.array(z.string().min(1)).default([]),
})
export type TelemetrySettings = z.infer<typeof TelemetrySettings>
