/** Notes of the daemon for its next run: state, options, transcripts. */

import { expect, test } from 'vitest'
import { ids } from '../../../test/support/build.js'
import { NO_OPTIONS } from '../../protocol/option/option-role.js'
import { AT, GIVEN, type OpenedStore } from './opened-store-suite.js'

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

  test('a prompt is created, replaced and deleted by what was there before, or left as it was', async () => {
    const prompt = {
      name: 'review',
      text: 'Review it.',
      savedAt: AT,
      savedBy: 'kim',
      role: 'operator',
    } as const
    const other = { ...prompt, name: '검토', role: 'admin' } as const
    const seen: unknown[] = []
    const change = (after: typeof prompt | null) =>
      opened.store.changePrompt('review', (before, count) => {
        seen.push([before?.text, count])
        return after
      })
    expect(await change(prompt)).toBeNull()
    await opened.store.changePrompt(other.name, () => other)
    expect(await change({ ...prompt, text: 'Again.' } as unknown as typeof prompt)).toEqual(prompt)
    const refuse = () => {
      throw new Error('refused')
    }
    await expect(opened.store.changePrompt('review', refuse)).rejects.toThrow('refused')

    expect(await opened.store.prompts()).toEqual([{ ...prompt, text: 'Again.' }, other])
    await change(null)
    expect(await opened.store.prompts()).toEqual([other])
    expect(seen).toEqual([
      [undefined, 0],
      ['Review it.', 2],
      ['Again.', 2],
    ])
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
