/** What sessions are doing, in words. */

import type { Request, Session } from '../../../src/protocol/index.js'
import type { Word } from '../i18n/dictionary.js'
import { compact, count, percent, t } from '../i18n/i18n.js'
import { toolAction, toolName } from '../tool/call.js'

export function nameOf({ title, lastPrompt, id }: Session): string {
  const name = (title ?? lastPrompt ?? '').trim().replaceAll(/\s+/g, ' ')
  return name === '' ? id : name
}

export function folderName(cwd: string): string {
  return cwd.split('/').at(-1) || cwd
}

export function doing(session: Session, request?: Request): string {
  if (session.condition !== null) return t(`condition.${session.condition}` satisfies Word)
  switch (session.state) {
    case 'permission':
      if (request?.toolName === 'ExitPlanMode') return t('doing.plan')
      return request ? wants(request) : t('doing.permission')
    case 'question':
      return request ? t('doing.asks', { question: request.title }) : t('doing.question')
    case 'ended':
      return session.outcome === 'failed' ? t('doing.failed') : t('doing.ended')
    case 'idle':
      if (session.queue.length > 0) return t('doing.starts')
      return session.isInterrupted ? t('doing.interrupted') : t('doing.idle')
    case 'working':
      return working(session)
  }
}

function wants({ toolName: name, title }: Request): string {
  const detail = title.startsWith(`${name}: `) ? title.slice(name.length + 2) : ''
  const action = toolAction(name)
  if (detail === '') return t('doing.wants', { call: toolName(title) })
  return action === null
    ? t('doing.wants', { call: `${toolName(name)}: ${detail}` })
    : t(`doing.wants.${action}`, { detail })
}

function working({ activity, pendingTools }: Session): string {
  const tools = Object.values(pendingTools)
  const [tool] = tools
  if (tools.length > 1) return count('doing.tools', tools.length)
  if (activity === 'tool') return tool ? t('doing.tool', { tool }) : t('doing.preparing')
  return activity === 'responding' ? t('doing.answers') : t('doing.thinks')
}

/** When the session became what it is now. */
export function since(session: Session, request?: Request): string {
  if (session.state === 'ended') return session.endedAt ?? session.updatedAt
  if (request) return request.requestedAt
  return session.turn?.startedAt ?? session.updatedAt
}

export function lampOf({ state, outcome }: Session): string {
  return state === 'ended' && outcome === 'failed' ? 'failed' : state
}

/** How many tokens the conversation may take up; null while nobody knows. */
export function contextWindow({ model, modelUsage }: Session): number | null {
  return model === null ? null : (modelUsage[model]?.contextWindow ?? null)
}

/** How full the context is, as short as can be. */
export function contextShort(session: Session): string {
  const { contextTokens: tokens } = session
  if (tokens === null) return t('context.short_unknown')
  const window = contextWindow(session)
  return t('context.short', { used: window === null ? compact(tokens) : percent(tokens / window) })
}

/** claude-opus-5-5-20261001 is Opus 5.5 to people. */
export function modelName(model: string): string {
  const match = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{6,})?(\[\w+\])?$/.exec(model)
  if (!match) return model
  const [, family = '', major = '', minor, window = ''] = match
  return `${family[0]?.toUpperCase()}${family.slice(1)} ${major}${minor === undefined ? '' : `.${minor}`}${window}`
}

export const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'] as const

export function modeName(mode: Session['permissionMode']): string {
  return t(`mode.${mode}` satisfies Word)
}
