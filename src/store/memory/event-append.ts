/** Appends events, and updates the sessions, requests and audit that follow from them. */

import { auditOf } from '../../audit/entry.js'
import { applyToRequest } from '../../protocol/request.js'
import { keyUsed, openName, planAppend } from '../plan.js'
import type { AppendGroup, AppendResult } from '../port/append.js'
import type { Store } from '../port.js'
import { addAuditRow, type Content } from './content.js'

export function createEventAppend(
  content: Content,
  newId: () => string,
): Pick<Store, 'append' | 'joinMachine' | 'forgetKeys'> {
  const { log, bySession, sessions, requests, keys, machines, points } = content

  function holderOf(externalId: string): string | null {
    return [...sessions.values()].find((session) => openName(session) === externalId)?.id ?? null
  }

  function appendGroup(group: AppendGroup): AppendResult {
    const { sessionId, once, from } = group
    const machine = from && machines.get(from.machine)
    if (from) {
      if (machine?.epoch !== from.epoch) return { kind: 'refused', why: { kind: 'fenced' } }
      if (from.n <= machine.lastN) return { kind: 'refused', why: { kind: 'repeated' } }
      machine.lastN = from.n
    }
    const key = once && JSON.stringify([once.scope, once.key])
    const used = key === undefined ? undefined : keys.get(key)
    if (once && used) return { kind: 'refused', why: keyUsed(used, once) }
    const plan = planAppend(sessions.get(sessionId) ?? null, group, newId, holderOf)
    if (plan.kind === 'refused') return plan
    group.alongside?.()
    if (once && key) keys.set(key, { value: once.value, digest: once.digest ?? '' })
    const events = plan.events.map((event, index) => ({ position: log.length + 1 + index, event }))
    log.push(...events)
    bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), ...events])
    sessions.set(sessionId, plan.session)
    if (group.resume) points.set(sessionId, group.resume)
    if (group.resume === null) points.delete(sessionId)
    for (const { event } of events) {
      const id = 'requestId' in event.data ? event.data.requestId : ''
      const request = applyToRequest(requests.get(id) ?? null, event)
      if (request) requests.set(request.id, request)
      for (const entry of auditOf(event, request)) addAuditRow(content, entry)
    }
    return { kind: 'stored', events, session: plan.session }
  }

  return {
    append: async (groups) => groups.map(appendGroup),
    async joinMachine(name, spool) {
      const known = machines.get(name)
      const joined = known?.spool === spool ? known : { spool, epoch: (known?.epoch ?? 0) + 1, lastN: 0 }
      machines.set(name, joined)
      return { epoch: joined.epoch, lastN: joined.lastN }
    },
    forgetKeys: async (scope, before) => {
      for (const name of keys.keys()) {
        const [ofScope = '', key = ''] = JSON.parse(name) as string[]
        if (ofScope === scope && key < before) keys.delete(name)
      }
    },
  }
}
