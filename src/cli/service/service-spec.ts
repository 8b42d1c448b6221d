/** The values that a service file is made from. They are kept in the file, so that a later version can compare it with what it would write. */

import { z } from 'zod'

export const ServiceSpec = z.strictObject({
  /** Changes when the text for the same values does. */
  format: z.literal(1),
  node: z.string(),
  program: z.string(),
  home: z.string(),
  environmentFile: z.string(),
  /** PATH of the daemon and its sessions. */
  path: z.string(),
  /** Whether the service manager can increase the delay between restarts (systemd 254). */
  hasRestartSteps: z.boolean(),
})
export type ServiceSpec = z.infer<typeof ServiceSpec>
