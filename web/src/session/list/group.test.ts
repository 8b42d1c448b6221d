import { expect, test } from 'vitest'
import { applyEvents, type Session, type SessionEvent } from '../../../../src/protocol/index.js'
import { ids, permissionRequested, sessionCreated, turnStarted } from '../../../../test/support/build.js'
import { listEntries } from './group.js'

function aSession(title: string, ...drafts: Parameters<typeof stamp>[1][]): Session {
  const id = ids.next('ses')
  const events = [sessionCreated({ title, cwd: `/home/dev/${title}` }), ...drafts].map((draft, index) =>
    stamp(id, draft, index),
  )
  const session = applyEvents(null, events)
  if (!session) throw new Error('no session')
  return session
}

function stamp(sessionId: string, draft: ReturnType<typeof sessionCreated>, index: number): SessionEvent {
  return { ...draft, seq: index + 1, id: ids.next('evt'), sessionId, at: '2026-11-15T12:00:00.000Z' }
}

const idle = aSession('idle')
const waiting = aSession('waiting', turnStarted(ids.next('trn')), permissionRequested(ids.next('per')))
const working = aSession('working', turnStarted(ids.next('trn')))
const later = aSession('later')

const shown = (filter: Parameters<typeof listEntries>[1]) =>
  listEntries([idle, waiting, working, later], filter).map((entry) =>
    'session' in entry ? entry.session.title : `# ${entry.group} ${entry.size}`,
  )

test('waiting sessions come first, then working ones, the newest first in each group', () => {
  expect(shown({ text: '', group: null })).toEqual([
    '# waiting 1',
    'waiting',
    '# working 1',
    'working',
    '# idle 2',
    'later',
    'idle',
  ])
})

test('the list is filtered by group and by text in names and folders', () => {
  expect(shown({ text: '', group: 'working' })).toEqual(['# working 1', 'working'])
  expect(shown({ text: ' LATER ', group: null })).toEqual(['# idle 1', 'later'])
  expect(shown({ text: 'nowhere', group: null })).toEqual([])
})
