/** Tools that touch nothing outside the conversation: Claude Code runs them without asking, and so do sessions here. */

import type { PolicyRule } from '../protocol/policy.js'

/** Subagents and skills do nothing by themselves: each of their own calls is judged. */
export const CONVERSATION_RULES: readonly PolicyRule[] = [
  {
    name: 'conversation',
    verdict: 'allow',
    reason: 'The tool changes nothing outside the conversation.',
    when: {
      tools: [
        'Agent',
        'EnterPlanMode',
        'ReportFindings',
        'Skill',
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
