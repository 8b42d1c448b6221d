import type { AuditRecord } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { reasonLabel } from '../../i18n/server-text.js'
import { client } from '../../store/state.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'

/** An integrity problem found at startup. Shown until an admin accepts it. */
export function Alarm({ alarm, onAccepted }: { alarm: AuditRecord; onAccepted: () => void }) {
  const accept = useAttempt(async () => {
    await client.acceptAudit({ body: {} })
    onAccepted()
  })
  return (
    <div className="row" role="alert">
      <p className="grow">
        <strong>{t('audit.alarm', { number: alarm.number })}</strong>{' '}
        {printable(reasonLabel(alarm) || alarm.subject)}
        {accept.problem && <span> {accept.problem}</span>}
      </p>
      <button type="button" disabled={accept.isBusy} onClick={accept.run}>
        {t('audit.alarm.accept')}
      </button>
    </div>
  )
}
