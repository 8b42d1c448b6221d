/** Notes of the daemon for its next run: state, options, processes, transcripts. */

import { expect, test } from 'vitest'
import { ids } from '../../../test/support/build.js'
import { NO_OPTIONS } from '../../protocol/option/option-role.js'
import { GIVEN, type OpenedStore } from './opened-store-suite.js'

export function daemonRowSuite(opened: OpenedStore): void {
  const { aSession } = opened

  test('facts are kept by name, replaced and forgotten', async () => {
    await opened.store.setState('a:2', 'two')
    await opened.store.setState('a:1', 'one')
    await opened.store.setState('b', 'other')
    await opened.store.setState('a:1', 'first')
    expect(await opened.store.state('a:1')).toBe('first')
    expect(await opened.store.states('a:')).toEqual([
      { key: 'a:1', value: 'first' },
      { key: 'a:2', value: 'two' },
    ])
    await opened.store.setState('a:1', null)
    expect([await opened.store.state('a:1'), await opened.store.state('c')]).toEqual([null, null])
  })

  test('the options of a session are kept as they are, and apart from its events', async () => {
    const id = await aSession()
    await opened.store.setOptions(id, GIVEN)

    expect(await opened.store.options(id)).toEqual(GIVEN)
    expect(await opened.store.options(ids.next('ses'))).toEqual(NO_OPTIONS)
  })

  test('processes are remembered until they are removed', async () => {
    opened.store.addProcess({ pid: 11, startToken: 'a', sessionId: 'ses_a' })
    opened.store.addProcess({ pid: 12, startToken: 'b', sessionId: 'ses_b' })
    opened.store.addProcess({ pid: 11, startToken: 'c', sessionId: 'ses_c' })
    opened.store.removeProcess(12)
    opened.store.removeProcess(99)

    expect(await opened.store.processes()).toEqual([{ pid: 11, startToken: 'c', sessionId: 'ses_c' }])
  })

  test('what was read of transcripts is kept, the newest of each file', async () => {
    const record = {
      path: '/home/dev/.claude/projects/p/one.jsonl',
      sessionId: 'one',
      cwd: '/home/dev',
      inode: '7',
      size: 10,
      offset: 10,
      sums: [],
      marks: [1, 2 ** 52],
      last: null,
    }
    await opened.store.saveTranscripts([record, { ...record, path: '/other' }])
    await opened.store.saveTranscripts([{ ...record, size: 20 }])
    const kept = await opened.store.transcripts()
    expect(kept.toSorted((one, two) => one.size - two.size)).toEqual([
      { ...record, path: '/other' },
      { ...record, size: 20 },
    ])
  })
}
