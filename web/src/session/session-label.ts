/** Names, status texts and other labels of sessions. */

import { type InboxRequest, nameFromPrompt, type Session } from '../../../src/protocol/index.js'
import type { TextKey } from '../i18n/dictionary.js'
import { compact, count, money, percent, t } from '../i18n/i18n.js'
import { toolAction, toolName } from '../tool/call.js'
import { conditionText } from './condition-label.js'

export { sessionName } from '../../../src/protocol/index.js'

/** The last message on one line, as the second line below the name. Null if it only repeats the name. */
export function lastMessage(session: Session): string | null {
  const { lastPrompt, name } = session
  const line = lastPrompt?.trim().replaceAll(/\s+/g, ' ') ?? ''
  return line === '' || line === name || nameFromPrompt(line) === name ? null : line
}

export function folderName(cwd: string): string {
  return cwd.split('/').at(-1) || cwd
}

export function statusText(session: Session, request?: InboxRequest): string {
  const isAsking = session.state === 'permission' || session.state === 'question'
  const condition = isAsking && session.condition !== 'not_responding' ? null : conditionText(session)
  if (condition !== null) return condition
  switch (session.state) {
    case 'permission':
      if (request?.toolName === 'ExitPlanMode') return t('status.plan')
      return request ? requestText(request) : t('status.permission')
    case 'question':
      return request ? t('status.asks', { question: request.title }) : t('status.question')
    case 'ended':
      return session.outcome === 'failed' ? t('status.failed') : t('status.ended')
    case 'idle':
      return session.queue.length > 0 ? t('status.starting') : t('status.idle')
    case 'working':
      return activityText(session)
  }
}

function requestText({ toolName: name, title }: InboxRequest): string {
  const detail = title.startsWith(`${name}: `) ? title.slice(name.length + 2) : ''
  const action = toolAction(name)
  if (detail === '') return t('status.wants.use', { call: toolName(title) })
  return action === null
    ? t('status.wants.use', { call: `${toolName(name)}: ${detail}` })
    : t(`status.wants.${action}`, { detail })
}

/** The newest step, where the status does not say it already: what it wrote last, or a call with its target. */
export function latestText({ state, condition, activity, latest, pendingTools }: Session): string | null {
  if (latest === null || condition !== null || state === 'permission' || state === 'question') return null
  if (latest.kind === 'text') return latest.text
  // A running call with its target is the status itself.
  if (state === 'working' && activity === 'tool' && Object.keys(pendingTools).length === 1) return null
  return state === 'working' ? latest.title : null
}

function activityText({ activity, pendingTools, latest }: Session): string {
  const tools = Object.values(pendingTools)
  const [tool] = tools
  if (tools.length > 1) return count('status.tools', tools.length)
  if (activity === 'tool') {
    if (!tool) return t('status.preparing')
    return t('status.tool', { tool: latest?.kind === 'tool' && latest.name === tool ? latest.title : tool })
  }
  return activity === 'responding' ? t('status.writing') : t('status.thinking')
}

/** The time since which the session has had its current status. */
export function statusSince(session: Session, request?: InboxRequest): string {
  if (session.state === 'ended') return session.endedAt ?? session.updatedAt
  if (request) return request.requestedAt
  return session.turn?.startedAt ?? session.updatedAt
}

export function statusClass({ state, outcome, condition }: Session): string {
  if (state === 'ended') return outcome === 'failed' ? 'failed' : state
  return condition !== null && state !== 'permission' && state !== 'question' ? condition : state
}

/** Size of the context window in tokens. Null until the first turn has reported it. */
export function contextWindow({ model, modelUsage }: Session): number | null {
  return model === null ? null : (modelUsage[model]?.contextWindow ?? null)
}

/** Context usage for a list row. */
export function contextShort(session: Session): string {
  const { contextTokens: tokens } = session
  if (tokens === null) return t('context.short_unknown')
  const window = contextWindow(session)
  return t('context.short', { used: window === null ? compact(tokens) : percent(tokens / window) })
}

/** Display name: claude-opus-5-5-20261001 becomes Opus 5.5. */
export function modelName(model: string): string {
  const match = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{6,})?(\[\w+\])?$/.exec(model)
  if (!match) return model
  const [, family = '', major = '', minor, window = ''] = match
  return `${family[0]?.toUpperCase()}${family.slice(1)} ${major}${minor === undefined ? '' : `.${minor}`}${window}`
}

export const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'] as const

/** The cost of a session. The scripted model is free; a terminal may use a model without a known price. */
export function costLabel({ kind, costUsd, scriptedCostUsd, usage }: Session): string {
  if (costUsd === 0 && scriptedCostUsd !== undefined) return t('scripted.free')
  const isUnknown = kind === 'observed' && costUsd === 0 && usage.outputTokens > 0
  return isUnknown ? t('unknown') : money(costUsd)
}

export function modeName(mode: Session['permissionMode']): string {
  return t(`mode.${mode}` satisfies TextKey)
}
