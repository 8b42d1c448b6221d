/** The list of tasks that an agent keeps, as the plan of an editor. Pure. */

import type { PlanEntry } from '@agentclientprotocol/sdk'

/** These calls are shown as the plan, and not as calls. */
export const PLAN_TOOLS: ReadonlySet<string> = new Set([
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
  'TaskGet',
  'TaskList',
])

export type Tasks = ReadonlyMap<string, { content: string; status: PlanEntry['status'] }>

const MAX_TASKS = 500

type Loose = Readonly<Record<string, unknown>>

/** The tasks after a call has succeeded; the same map if it changed none. */
export function tasksAfter(tasks: Tasks, name: string, input: unknown, result: unknown): Tasks {
  const fields = recordOf(input)
  if (name === 'TodoWrite') {
    const todos = Array.isArray(fields['todos']) ? fields['todos'].slice(0, MAX_TASKS) : []
    return new Map(
      todos.map((todo, index) => {
        const { content, status } = recordOf(todo)
        return [String(index), { content: textOf(content), status: statusOf(status) }] as const
      }),
    )
  }
  if (name === 'TaskCreate') {
    const id = recordOf(recordOf(result)['task'])['id']
    if (typeof id !== 'string' || tasks.size >= MAX_TASKS) return tasks
    return new Map([...tasks, [id, { content: textOf(fields['subject']), status: 'pending' as const }]])
  }
  if (name !== 'TaskUpdate') return tasks
  const id = fields['taskId']
  const known = typeof id === 'string' ? tasks.get(id) : undefined
  if (typeof id !== 'string' || !known) return tasks
  const next = new Map(tasks)
  if (fields['status'] === 'deleted') next.delete(id)
  else
    next.set(id, {
      content: fields['subject'] === undefined ? known.content : textOf(fields['subject']),
      status: fields['status'] === undefined ? known.status : statusOf(fields['status']),
    })
  return next
}

export function entriesOf(tasks: Tasks): PlanEntry[] {
  return [...tasks.values()].map((task) => ({ ...task, priority: 'medium' }))
}

function statusOf(status: unknown): PlanEntry['status'] {
  return status === 'completed' || status === 'in_progress' ? status : 'pending'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function recordOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}
