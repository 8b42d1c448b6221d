import type { InboxRequest } from '../../../src/protocol/index.js'
import { t, time } from '../i18n/i18n.js'
import { Icon } from '../ui/icon.js'
import { printable } from '../ui/printable.js'

/** A resolved request. It stays in the list, so that the cards below do not move under the pointer. */
export function Resolved({ request, isCurrent }: { request: InboxRequest; isCurrent: boolean }) {
  const { resolution } = request
  if (!resolution) return null
  const isDenied = isRefused(request)
  return (
    <article className={`request card resolved ${isCurrent ? 'current' : ''}`} aria-label={request.title}>
      <p className="row">
        <span className={isDenied ? 'verdict denied' : 'verdict'}>
          <Icon name={isDenied ? 'cross' : 'check'} />
        </span>
        <span className="grow truncate">{printable(request.title)}</span>
        <small className="muted">{resolutionText(request)}</small>
      </p>
    </article>
  )
}

function isRefused({ kind, resolution }: InboxRequest): boolean {
  if (kind === 'permission') return resolution?.decision === 'deny'
  if (resolution?.form) return resolution.form.action !== 'accept'
  return resolution?.answers === null || resolution?.answers === undefined
}

function resolutionText(request: InboxRequest): string {
  const { resolution, kind } = request
  if (!resolution) return ''
  const { by, who, via, decision, at } = resolution
  const name = t(`by.${by}`, { who: who ?? '?', via: via ?? '?' })
  const what =
    kind === 'question'
      ? isRefused(request)
        ? t('resolved.unanswered')
        : t('resolved.answered')
      : decision === 'deny'
        ? t('resolved.denied')
        : decision === 'allowAll'
          ? t('resolved.allowed_all')
          : t('resolved.allowed')
  return `${what} · ${name} · ${time(at)}`
}
