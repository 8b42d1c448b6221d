/** `attempt_completion`: the agent says what its task came to, and stops. */

import { z } from 'zod'
import { defineTool, type Tool } from '../tool.js'

const Input = z.object({
  result: z.string().describe('Completion result'),
  success: z.boolean().optional().describe('Whether completion was successful'),
})

export function createAttemptCompletion(): Tool {
  return defineTool({
    name: 'attempt_completion',
    isRepeatable: true,
    description:
      'Ends the task and records its result. Call it once, when everything is done or cannot be done; success is true ' +
      'unless you say otherwise.',
    input: Input,
    annotations: { title: 'End the task', idempotentHint: true, openWorldHint: false },
    async run({ result, success = true }, { complete }) {
      await complete({ result, success })
      return 'The result is recorded and the task has ended. There is nothing left to do.'
    },
  })
}
