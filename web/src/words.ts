/** What sessions and tools are doing, in words. */

import { describeCall, type Session, type TranscriptItem } from '../../src/protocol/index.js'

export function nameOf({ title, lastPrompt, id }: Session): string {
  return title ?? lastPrompt ?? id
}

export function doing(session: Session): string {
  switch (session.state) {
    case 'permission':
      return 'needs a permission'
    case 'question':
      return 'asks a question'
    case 'ended':
      return session.reason ?? 'ended'
    case 'idle':
      return session.queue.length > 0 ? 'starts' : 'idle'
    case 'working':
      return working(session)
  }
}

function working({ activity, pendingTools }: Session): string {
  const [tool] = Object.values(pendingTools)
  if (activity === 'tool') return tool ? `runs ${tool}` : 'prepares a tool'
  return activity === 'responding' ? 'answers' : 'thinks'
}

export function toolTitle({ name, input }: Extract<TranscriptItem, { kind: 'tool' }>, cwd: string): string {
  return describeCall(name, input, cwd)
}

export function folderName(cwd: string): string {
  return cwd.split('/').at(-1) || cwd
}
