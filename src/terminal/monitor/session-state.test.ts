import { describe, expect, test } from 'vitest'
import { type LifecycleEvent, readEvent } from '../stream/event.js'
import type { SessionSnapshot } from './monitor.js'
import { copyOf, draftOf, noteEvent } from './session-state.js'

let second = 0

/** An event of one session, one second after the previous one. */
function anEvent(eventType: string, fields: Record<string, unknown> = {}): LifecycleEvent {
  second += 1
  const read = readEvent({
    id: `event-${second}`,
    eventType,
    occurredAtIso: new Date(Date.UTC(2026, 10, 15, 12, 0, second)).toISOString(),
    sessionId: 'ses-1',
    provider: 'claude',
    projectPath: '/p',
    cwd: '/p',
    ...fields,
  })
  if (typeof read === 'string') throw new Error(read)
  return read
}

const session = (phase: string, fields = {}) => anEvent('session.lifecycle', { phase, ...fields })
const skill = (phase: string, skillName: string, fields = {}) =>
  anEvent('skill.lifecycle', { phase, skillName, ...fields })

function after(first: LifecycleEvent, ...events: LifecycleEvent[]): SessionSnapshot {
  return events.reduce<SessionSnapshot>(applyEvent, draftOf(first))
}

function applyEvent(before: SessionSnapshot, event: LifecycleEvent): SessionSnapshot {
  const draft = copyOf(before)
  noteEvent(draft, event)
  return draft
}

/** Follows the table in the specification, row by row. */
describe('the state machine', () => {
  test('a start makes an active, busy session', () => {
    const started = session('started', { source: 'startup', model: 'opus', pid: 42 })
    expect(after(started)).toMatchObject({
      state: 'active',
      activityPhase: 'busy',
      startedAt: started.occurredAtIso,
      model: 'opus',
      pid: 42,
      isInTurn: false,
    })
  })

  test('a prompt makes it busy, and is remembered', () => {
    expect(after(session('started'), anEvent('turn.start', { prompt: 'go on' }))).toMatchObject({
      activityPhase: 'busy',
      lastUserMessage: 'go on',
      isInTurn: true,
      turnCount: 1,
    })
  })

  test('the end of a turn makes it interactable', () => {
    const transcriptPath = '/t.jsonl'
    expect(
      after(
        session('started'),
        anEvent('turn.start', { prompt: 'x' }),
        anEvent('turn.end', { transcriptPath }),
      ),
    ).toMatchObject({
      activityPhase: 'interactable',
      isInTurn: false,
      lastOutcome: 'completed',
      transcriptPath,
    })
    expect(after(anEvent('turn.start'), anEvent('turn.end', { outcome: 'failed' })).lastOutcome).toBe(
      'failed',
    )
  })

  test('it waits for a permission or an answer, and goes on', () => {
    const waiting = after(anEvent('turn.start'), session('waiting_permission', { toolName: 'Bash' }))
    expect(waiting).toMatchObject({ activityPhase: 'waiting_permission', waitingFor: { toolName: 'Bash' } })
    const asking = after(anEvent('turn.start'), session('waiting_question'))
    expect(asking.activityPhase).toBe('waiting_question')
    const answered = applyEvent(asking, anEvent('request.lifecycle', { phase: 'answered' }))
    expect(answered).toMatchObject({ activityPhase: 'busy', waitingFor: null })
  })

  test('a skill is the current one until it is done', () => {
    const running = after(
      session('started'),
      skill('in_progress', 'spec', { startedBy: 'model', triggerCommand: '/spec a' }),
    )
    expect(running.currentSkill).toMatchObject({
      skillName: 'spec',
      state: 'in_progress',
      startedBy: 'model',
    })
    const done = applyEvent(running, skill('completed', 'spec', { outcome: 'completed' }))
    expect(done.currentSkill).toBeNull()
    expect(done.skills).toMatchObject([{ skillName: 'spec', state: 'completed', outcome: 'completed' }])
  })

  test('a skill inside another gives the place back to it', () => {
    const inner = after(skill('in_progress', 'a'), skill('in_progress', 'b'))
    expect(inner.currentSkill?.skillName).toBe('b')
    expect(applyEvent(inner, skill('completed', 'b')).currentSkill?.skillName).toBe('a')
    expect(applyEvent(inner, skill('completed', 'a')).currentSkill?.skillName).toBe('b')
  })

  test('a skill that a person typed ends with its turn', () => {
    const end = anEvent('turn.end')
    const done = after(skill('in_progress', 'spec', { startedBy: 'person' }), end)
    expect(done.currentSkill).toBeNull()
    expect(done.skills).toMatchObject([{ state: 'completed', outcome: 'unknown' }])
  })

  test('the end completes it, with the reason', () => {
    const ended = session('ended', { reason: 'prompt_input_exit' })
    expect(after(session('started'), ended)).toMatchObject({
      state: 'completed',
      endedAt: ended.occurredAtIso,
      endReason: 'prompt_input_exit',
    })
  })
})

test('a resumed session is active again', () => {
  const resumed = after(
    session('started'),
    session('ended'),
    session('started', { source: 'resume', pid: 7 }),
  )
  expect(resumed).toMatchObject({ state: 'active', endedAt: null, endReason: null, pid: 7 })
})

test('what is told of an ended session afterwards does not bring it back', () => {
  const late = after(
    session('started'),
    session('ended'),
    anEvent('agent.lifecycle', { phase: 'ended', agentId: 'a' }),
  )
  expect(late.state).toBe('completed')
})

test('a session whose start was not seen begins with what is seen', () => {
  expect(after(anEvent('turn.end'))).toMatchObject({
    state: 'active',
    startedAt: null,
    activityPhase: 'interactable',
  })
})

test('a prompt that a background task has sent is not the person’s', () => {
  const told = after(
    anEvent('turn.start', { prompt: 'mine' }),
    anEvent('turn.end'),
    anEvent('turn.start', { prompt: '<task-notification>done</task-notification>' }),
  )
  expect(told).toMatchObject({ lastUserMessage: 'mine', activityPhase: 'busy' })
})

test('a subagent that still waits keeps the session waiting when the turn ends', () => {
  const waiting = after(
    anEvent('turn.start'),
    session('waiting_permission', { agentId: 'a1', toolName: 'Bash' }),
    anEvent('turn.end', { backgroundTasks: [{ id: 'a1' }] }),
  )
  expect(waiting).toMatchObject({ activityPhase: 'waiting_permission', isInTurn: false })
})

test('subagents come and go', () => {
  const agent = (phase: string, agentId: string) =>
    anEvent('agent.lifecycle', { phase, agentId, agentType: 'researcher' })
  const two = after(agent('started', 'a'), agent('started', 'b'), agent('ended', 'a'))
  expect(two.agents).toEqual([
    { agentId: 'b', agentType: 'researcher', state: 'running' },
    { agentId: 'a', agentType: 'researcher', state: 'ended' },
  ])
})

test('compaction at the prompt leaves the session at the prompt', () => {
  const context = (phase: string) => anEvent('context.lifecycle', { phase })
  expect(after(anEvent('turn.end'), context('compacting')).activityPhase).toBe('busy')
  expect(after(anEvent('turn.end'), context('compacting'), context('compacted')).activityPhase).toBe(
    'interactable',
  )
  expect(after(anEvent('turn.start'), context('compacting'), context('compacted')).activityPhase).toBe('busy')
})
