import { expect, test } from 'vitest'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { Actor } from '../../protocol/value.js'
import { viaOf } from './via.js'

test('a browser is the dashboard and a token a program, whatever the header says', () => {
  for (const header of [undefined, '', 'nonsense', ...Actor.shape.via.options]) {
    expect(viaOf({ kind: 'browser' }, header)).toBe('dashboard')
    for (const kind of ['home', 'token'] as const)
      expect(viaOf({ kind }, header)).toBe(header === 'cli' || header === 'acp' ? header : 'api')
  }
})

test('the audit does not take over what a token says of itself', async () => {
  const { ask, hub } = await createServedRuntime()
  for (const [index, via] of ['dashboard', 'terminal', 'agent', 'library', 'cli'].entries()) {
    await ask('/api/v1/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'signalbox-via': via },
      body: JSON.stringify({ name: `token ${index}`, role: 'viewer' }),
    })
  }
  expect((await hub.audit({})).records.toReversed().map(({ via }) => via)).toEqual([
    'api',
    'api',
    'api',
    'api',
    'cli',
  ])
})
