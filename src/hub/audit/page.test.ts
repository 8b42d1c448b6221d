import { expect, test } from 'vitest'
import { ids } from '../../../test/support/build.js'
import { auditEntry } from '../../audit/entry.js'
import { createMemoryStore } from '../../store/memory.js'
import { auditPage } from './page.js'

test('a filter that matches little looks at a part of the audit per page, and loses nothing', async () => {
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const add = (subject: string) =>
    store.addAudit(
      auditEntry({
        at: '2026-11-15T12:00:00.000Z',
        kind: 'call.judged',
        by: 'policy',
        subject,
        verdict: 'allow',
      }),
    )
  await add('Read: first')
  for (let count = 0; count < 2_500; count += 1) await add('Bash: ls')
  await add('Read: last')

  const one = await auditPage(store, { tool: 'Read', limit: 1 })
  expect(one).toMatchObject({ records: [{ subject: 'Read: last' }], nextCursor: 2_502 })
  const rest = await auditPage(store, { tool: 'Read', limit: 1, before: one.nextCursor ?? 0 })
  expect(rest).toMatchObject({ records: [{ subject: 'Read: first' }], nextCursor: null })
  expect(await auditPage(store, { tool: 'Write' })).toEqual({ records: [], nextCursor: null })
  expect(await auditPage(createMemoryStore({ newId: () => ids.next('evt') }), {})).toEqual({
    records: [],
    nextCursor: null,
  })
})
