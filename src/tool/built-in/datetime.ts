/** `datetime`: what time it is, somewhere. */

import { z } from 'zod'
import type { Clock } from '../../lib/clock.js'
import { defineTool, type Tool } from '../tool.js'
import { formatTime } from './date-format.js'

const Input = z.object({
  format: z.string().optional().describe('Date format string'),
  timezone: z.string().optional().describe('Timezone'),
})

export function createDatetime(clock: Clock): Tool {
  return defineTool({
    name: 'datetime',
    isRepeatable: true,
    description:
      'Tells the date and time. timezone is a name as "Asia/Seoul" (default: the zone of this machine). format is iso ' +
      '(default), date, time, datetime, rfc2822, unix or unix_ms, or made of YYYY MM DD HH mm ss and the like.',
    input: Input,
    annotations: { title: 'Date and time', readOnlyHint: true, openWorldHint: false },
    run({ format, timezone }) {
      const zone = timezone || Intl.DateTimeFormat().resolvedOptions().timeZone
      return formatTime(clock.now(), zone, format || 'iso')
    },
  })
}
