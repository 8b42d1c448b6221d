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

const PLAIN = { text: '', group: null, sort: 'newest', isByFolder: false, showsArchived: false } as const

const show = (sessions: readonly Session[], filter: Partial<Parameters<typeof listEntries>[1]>) =>
  listEntries(sessions, { ...PLAIN, ...filter }).map((entry) =>
    'session' in entry ? entry.session.title : `# ${entry.group ?? entry.folder} ${entry.size}`,
  )
const shown = (filter: Partial<Parameters<typeof listEntries>[1]>) =>
  show([idle, waiting, working, later], filter)

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

test('grouped by folder, sessions that need the user are still first', () => {
  expect(shown({ isByFolder: true })).toEqual([
    '# waiting 1',
    'waiting',
    '# /home/dev/idle 1',
    'idle',
    '# /home/dev/later 1',
    'later',
    '# /home/dev/working 1',
    'working',
  ])
})

test('pinned sessions come first in their group, archived ones are left out unless they need the user', () => {
  const pinned = { ...idle, isPinned: true }
  const archived = [
    { ...later, isArchived: true },
    { ...waiting, isArchived: true },
  ]
  expect(show([pinned, later], {})).toEqual(['# idle 2', 'idle', 'later'])
  expect(show([idle, ...archived], {})).toEqual(['# waiting 1', 'waiting', '# idle 1', 'idle'])
  expect(show([idle, ...archived], { showsArchived: true, group: 'idle' })).toEqual([
    '# idle 2',
    'later',
    'idle',
  ])
})

test('a group is sorted by activity, name or cost', () => {
  const dear = { ...idle, costUsd: 2, updatedAt: '2026-11-15T11:00:00.000Z' }
  expect(show([dear, later], { sort: 'cost' })).toEqual(['# idle 2', 'idle', 'later'])
  expect(show([dear, later], { sort: 'active' })).toEqual(['# idle 2', 'later', 'idle'])
  expect(show([later, dear], { sort: 'name' })).toEqual(['# idle 2', 'idle', 'later'])
})

test('a failed session is among those that need the user, and found by its tag', () => {
  const failed: Session = { ...idle, condition: 'failed', tags: ['login'] }
  expect(show([failed, later], {})).toEqual(['# waiting 1', 'idle', '# idle 1', 'later'])
  expect(show([failed, later], { text: 'login' })).toEqual(['# waiting 1', 'idle'])
})
