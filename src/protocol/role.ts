/** Roles of users, by their credentials: `viewer` reads, `operator` answers and sends, `admin` manages access. */

import { z } from 'zod'
import { roles } from './choice.js'

export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>
