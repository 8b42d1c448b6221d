/** The alarm of the audit: raised at a start that finds entries missing or replaced, until an admin accepts it. */

import { recordOf } from '../../audit/chain.js'
import { auditEntry } from '../../audit/entry.js'
import type { Clock } from '../../lib/clock.js'
import type { AuditRecord } from '../../protocol/audit.js'
import type { Actor } from '../../protocol/value.js'
import type { Store } from '../../store/port.js'
import { auditFields } from './fields.js'

export interface AuditAlarm {
  find(): Promise<AuditRecord | null>
  /** Resolves with the alarm that was accepted, or null if there is none. */
  accept(reason: string | undefined, actor: Actor): Promise<AuditRecord | null>
}

export function createAuditAlarm({ store, clock }: { store: Store; clock: Clock }): AuditAlarm {
  /** Alarms are raised before the hub is there: it is looked for once. */
  let alarm: AuditRecord | null | undefined
  async function find(): Promise<AuditRecord | null> {
    if (alarm !== undefined) return alarm
    const [newest] = await store.audit({ kind: ['audit.alarm', 'audit.accepted'], limit: 1 })
    const record = newest ? recordOf(newest) : null
    alarm = record?.kind === 'audit.alarm' ? record : null
    return alarm
  }

  return {
    find,
    async accept(reason, actor) {
      const found = await find()
      if (!found) return null
      const subject = `Alarm of entry ${found.number}`
      await store.addAudit(
        auditEntry({
          at: new Date(clock.now()).toISOString(),
          kind: 'audit.accepted',
          ...auditFields(actor, subject),
          reason: reason ?? null,
        }),
      )
      alarm = null
      return found
    },
  }
}
