/** Tools that touch nothing outside the conversation: Claude Code runs them without asking, and so do sessions here. */

import type { Policy, PolicyRule } from './rule.js'

/** Subagents and skills do nothing by themselves: each of their own calls is judged. */
const CONVERSATION_RULES: readonly PolicyRule[] = [
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

/** The same policy, with these behind its own rules. */
export function withConversationRules(policy: Policy): Policy {
  return { ...policy, rules: [...policy.rules, ...CONVERSATION_RULES] }
}
