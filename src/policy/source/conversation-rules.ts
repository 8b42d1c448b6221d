/** Tools without effects outside the conversation: Claude Code runs them without asking, and so do sessions here. */

import type { PolicyRule } from '../../protocol/policy/policy.js'
import { reason, reasonText } from '../../protocol/reason/reason.js'

/**
 * Subagents have no effect without calls of their own, and the policy judges each of those. `Skill` is not here: its
 * arguments may name files that Claude Code reads (`judge-skill.ts`).
 */
export const CONVERSATION_RULES: readonly PolicyRule[] = [
  {
    name: 'conversation',
    verdict: 'allow',
    reason: reasonText([reason('rule.conversation')]),
    when: {
      tools: [
        'Agent',
        'EnterPlanMode',
        'ReportFindings',
        'Task',
        'TaskCreate',
        'TaskGet',
        'TaskList',
        'TaskStop',
        'TaskUpdate',
        'TodoWrite',
        'ToolSearch',
      ],
    },
  },
]
