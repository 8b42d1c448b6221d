import type { Request } from '../../../src/protocol/index.js'
import { Icon } from '../part/icon.js'
import { printable } from '../part/printable.js'
import { t, time } from '../word/word.js'

/** A request that has its answer: it stays in its place, so that nothing moves under somebody's hand. */
export function Resolved({ request, isCurrent }: { request: Request; isCurrent: boolean }) {
  const { resolution } = request
  if (!resolution) return null
  const isDenied = resolution.decision === 'deny' || resolution.answers === null
  return (
    <article className={`request card resolved ${isCurrent ? 'current' : ''}`} aria-label={request.title}>
      <p className="row">
        <span className={isDenied ? 'verdict denied' : 'verdict'}>
          <Icon name={isDenied ? 'cross' : 'check'} />
        </span>
        <span className="grow cut">{printable(request.title)}</span>
        <small className="soft">{saidBy(request)}</small>
      </p>
    </article>
  )
}

function saidBy({ resolution, kind }: Request): string {
  if (!resolution) return ''
  const { by, who, via, decision, at } = resolution
  const name = by === 'person' ? t('by.person', { who: who ?? '?', via: via ?? '?' }) : t(`by.${by}`)
  const what =
    kind === 'question'
      ? resolution.answers === null
        ? t('resolved.unanswered')
        : t('resolved.answered')
      : decision === 'deny'
        ? t('resolved.denied')
        : decision === 'allowAll'
          ? t('resolved.allowed_all')
          : t('resolved.allowed')
  return `${what} · ${name} · ${time(at)}`
}
