/**
 * Random sequences of what clients can do, against a small model of what they were promised, with random delays wherever
 * something is waited for: the store, the start of a process, everything that the CLI does.
 *
 * - A message that was accepted ends exactly once: it is read, or it is cancelled.
 * - One that was cancelled is never read, and one that was read is never said to be cancelled.
 * - No process acts, or is given its first message, with freer settings than the last ones that were acknowledged.
 * - Interrupt, stop and delete are answered while a session waits for a slot or starts. Nothing runs after a stop.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aPerson, ids } from '../../test/support/build.js'
import { problemsOf } from '../../test/support/check-log.js'
import { createSimulatedClaudes, type SimulatedClaude } from '../../test/support/simulated-claude.js'
import { createTestRuntime } from '../../test/support/test-runtime.js'
import { idOfUuid } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import type { WhenBusy } from '../protocol/value.js'
import { isDelayed } from '../protocol/view/condition.js'
import { createMemoryStore } from '../store/memory.js'
import type { Store } from '../store/port.js'

type Mode = 'default' | 'bypassPermissions'
type Step = { session: number; wait: number } & (
  | { kind: 'create'; mode: Mode }
  | { kind: 'send'; whenBusy: WhenBusy }
  | { kind: 'cancel' | 'edit'; message: number }
  | { kind: 'mode'; mode: Mode }
  | { kind: 'options'; maxTurns: number }
  | { kind: 'trust' | 'distrust' | 'interrupt' | 'stop' | 'delete' | 'inspect' | 'crash' | 'look' }
)

const SESSIONS = 3
const number = fc.nat(SESSIONS - 1)
const mode = fc.constantFrom<Mode>('default', 'bypassPermissions')
const weighted = (weight: number, arbitrary: fc.Arbitrary<object>) => ({ weight, arbitrary })
const kind = (...kinds: string[]) => fc.record({ kind: fc.constantFrom(...kinds) })

const what = fc.oneof(
  weighted(6, fc.record({ kind: fc.constant('create'), mode })),
  weighted(
    8,
    fc.record({ kind: fc.constant('send'), whenBusy: fc.constantFrom('inject', 'queue', 'replace') }),
  ),
  weighted(8, fc.record({ kind: fc.constantFrom('cancel', 'edit'), message: fc.nat(3) })),
  weighted(5, fc.record({ kind: fc.constant('mode'), mode })),
  weighted(3, fc.record({ kind: fc.constant('options'), maxTurns: fc.integer({ min: 1, max: 9 }) })),
  weighted(5, kind('interrupt')),
  weighted(4, kind('trust', 'distrust', 'inspect', 'look')),
  weighted(3, kind('stop', 'delete')),
  weighted(1, kind('crash')),
)
const step = fc
  .tuple(what, number, fc.nat(12))
  .map(([parts, session, wait]) => ({ ...parts, session, wait }) as Step)

const scenario = fc.record({
  seed: fc.integer(),
  steps: fc.array(step, { minLength: 3, maxLength: 30 }),
  maxLive: fc.constantFrom(1, 2, 5),
  warm: fc.constantFrom(0, 0, 1),
  /** Another session holds a slot all the time. */
  isBlocked: fc.boolean(),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Takes none to a few turns of the event loop, or only of the microtasks. */
function createPause(seed: number): () => Promise<void> {
  let state = seed | 0
  return async () => {
    // A linear congruential generator is random enough, and the same for the same seed.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    const length = (state >>> 16) % 9
    for (let count = length - 4; count > 0; count -= 1) await turn()
    for (let count = 4 - length; count > 0; count -= 1) await Promise.resolve()
  }
}

const SLOW = ['append', 'session', 'options', 'setOptions', 'trustedWorkspaces', 'trust', 'distrust'] as const

function slowStore(pause: () => Promise<void>): Store {
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  for (const name of SLOW) {
    const method = store[name] as (...given: unknown[]) => Promise<unknown>
    const slow = async (...given: unknown[]) => {
      await pause()
      const result = await method.apply(store, given)
      await pause()
      return result
    }
    Object.assign(store, { [name]: slow })
  }
  return store
}

/** A setting with its last acknowledged value, and those that are on their way. */
class Setting<Value> {
  acknowledged: Value
  readonly #asked = new Set<{ value: Value }>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(value: Value) {
    this.acknowledged = value
  }

  /** One change after the other, so that it is known which one was the last. */
  change(value: Value, work: () => Promise<unknown>): Promise<void> {
    const changing = this.#last.then(async () => {
      const asked = { value }
      this.#asked.add(asked)
      await work()
      this.acknowledged = value
      this.#asked.delete(asked)
    })
    this.#last = changing.catch(() => {})
    return changing
  }

  /** Values that may be in force now, including one whose change failed. */
  possible(): Value[] {
    return [this.acknowledged, ...[...this.#asked].map(({ value }) => value)]
  }
}

interface ModelSession {
  id: string
  mode: Setting<Mode>
  maxTurns: Setting<number | undefined>
  messages: string[]
  isStopped: boolean
  isDeleted: boolean
}

const EXPECTED_CODES = new Set([
  'message_already_delivered',
  'session_ended',
  'session_not_found',
  'claude_failed',
  'session_not_driven',
])

async function run({ seed, steps, maxLive, warm, isBlocked }: Scenario): Promise<void> {
  const pause = createPause(seed)
  const problems: string[] = []
  const read: string[] = []
  const cancelled = new Set<string>()
  const isTrusted = new Setting(false)
  const sessions: (ModelSession | undefined)[] = []
  const bySessionId = () => new Map(sessions.flatMap((session) => (session ? [[session.id, session]] : [])))
  const byConversation = new Map<string, string>()
  const sessionOf = (claude: SimulatedClaude) =>
    bySessionId().get(byConversation.get(claude.launch.start.id) ?? '')

  const claude = createSimulatedClaudes({
    pause,
    watcher: {
      onFirst(process) {
        const session = sessionOf(process)
        const { maxTurns, settingSources = [] } = process.launch.options
        if (session && !session.maxTurns.possible().includes(maxTurns))
          problems.push(`started with maxTurns ${maxTurns}, acknowledged ${session.maxTurns.acknowledged}`)
        if (settingSources.length > 0 && !isTrusted.possible().includes(true))
          problems.push('started with the settings of a folder that is not trusted')
      },
      onRead(uuid) {
        const messageId = idOfUuid('msg', uuid) ?? ''
        if (read.includes(messageId)) problems.push(`${messageId} was read twice`)
        if (cancelled.has(messageId)) problems.push(`${messageId} was read after it had been cancelled`)
        read.push(messageId)
      },
      onCall(process) {
        const session = sessionOf(process)
        const wasPossible = session?.mode.possible().includes('bypassPermissions') ?? true
        if (session?.isStopped) problems.push('a call in a session that was stopped')
        return (isAllowed) => {
          if (isAllowed && !wasPossible && !session?.mode.possible().includes('bypassPermissions'))
            problems.push('ran unasked in a mode that asks')
        }
      },
    },
  })
  const runtime = await createTestRuntime({
    store: slowStore(pause),
    claude,
    limits: { maxLive: maxLive + +isBlocked, warm },
  })
  const { hub } = runtime
  runtime.journal.subscribe({
    deliver(items) {
      for (const { event } of items) {
        if (event.type === 'session.created') byConversation.set(event.data.conversation.id, event.sessionId)
        if (event.type === 'session.changed' && event.data.claudeSessionId !== undefined)
          byConversation.set(event.data.claudeSessionId, event.sessionId)
      }
    },
  })
  const blocker = isBlocked ? await runtime.createSession('stuck') : null
  if (blocker) await until(async () => (await hub.session(blocker.id)).turn !== null)

  async function perform(asked: Step): Promise<void> {
    const session = sessions[asked.session]
    if (asked.kind === 'create') {
      if (session) return
      const created: ModelSession = {
        id: '',
        mode: new Setting(asked.mode),
        maxTurns: new Setting<number | undefined>(undefined),
        messages: [],
        isStopped: false,
        isDeleted: false,
      }
      sessions[asked.session] = created
      const { id } = await runtime.createSession('hello', { permissionMode: asked.mode })
      created.id = id
      const [first] = await runtime.store.readSession(id, { types: ['message.queued'] })
      if (first?.event.type === 'message.queued') created.messages.push(first.event.data.messageId)
      return
    }
    if (asked.kind === 'trust') return isTrusted.change(true, () => hub.trust(runtime.cwd, aPerson))
    if (asked.kind === 'distrust') return isTrusted.change(false, () => hub.distrust(runtime.cwd, aPerson))
    if (!session || session.id === '') return
    const { id } = session
    const message = 'message' in asked ? session.messages.at(-1 - asked.message) : undefined
    switch (asked.kind) {
      case 'send': {
        const { messageId } = await hub.send(id, { text: 'more', whenBusy: asked.whenBusy }, aPerson)
        session.messages.push(messageId)
        return
      }
      case 'cancel':
        if (message === undefined) return
        await hub.cancelMessage(id, message, aPerson)
        cancelled.add(message)
        if (read.includes(message)) problems.push(`${message} was cancelled after it had been read`)
        return
      case 'edit': {
        if (message === undefined) return
        const { messageId } = await hub.editMessage(id, message, 'changed', aPerson)
        cancelled.add(message)
        session.messages.push(messageId)
        if (read.includes(message)) problems.push(`${message} was changed after it had been read`)
        return
      }
      case 'mode':
        return session.mode.change(asked.mode, () => hub.change(id, { permissionMode: asked.mode }, aPerson))
      case 'options': {
        const { maxTurns } = asked
        return session.maxTurns.change(maxTurns, () => hub.change(id, { options: { maxTurns } }, aPerson))
      }
      case 'interrupt':
        await hub.interrupt(id)
        return
      case 'inspect':
        await hub.inspect(id, 'models')
        return
      case 'stop':
        await hub.stop(id, undefined, aPerson)
        session.isStopped = true
        return
      case 'delete':
        await hub.deleteSession(id, aPerson)
        session.isStopped = true
        session.isDeleted = true
        return
      case 'crash':
        for (const process of claude.processes)
          if (byConversation.get(process.launch.start.id) === id) process.crash()
        return
      case 'look':
        await hub.session(id)
        return
    }
  }

  const pending = new Set<Step>()
  const performing = steps.map(async (asked, index) => {
    for (
      let count = steps.slice(0, index + 1).reduce((sum, { wait }) => sum + wait, 0);
      count > 0;
      count -= 1
    )
      await turn()
    pending.add(asked)
    await perform(asked).catch((error: unknown) => {
      if (!(error instanceof HubError && EXPECTED_CODES.has(error.code))) throw error
    })
    pending.delete(asked)
  })
  // Only a command that needs a process may wait for a slot until its timeout.
  await until(async () => [...pending].every(({ kind: name }) => name === 'inspect')).catch(() => {
    problems.push(`never answered: ${[...pending].map(({ kind: name }) => name).join(', ')}`)
  })
  runtime.clock.advance(10_000)
  if (problems.length > 0) throw new Error(problems.join('; '))
  await Promise.all(performing)
  if (blocker) await hub.stop(blocker.id, undefined, aPerson)

  const open = () => sessions.filter((session) => session && session.id !== '' && !session.isDeleted)
  const isSettled = async () => {
    runtime.clock.advance(1_000)
    const found = await Promise.all(open().map((session) => hub.session(session?.id ?? '')))
    return found.every((session) => session.queue.length === 0 && !session.turn && !isDelayed(session))
  }
  await until(isSettled).catch(() => problems.push('some messages have no end'))
  for (const session of open()) problems.push(...problemsOf(await runtime.events(session?.id ?? '')))
  const delivered = new Set<string>()
  for (const session of open())
    for (const event of await runtime.events(session?.id ?? ''))
      if (event.type === 'message.delivered') delivered.add(event.data.messageId)
  for (const messageId of cancelled)
    if (delivered.has(messageId)) problems.push(`${messageId} was cancelled and delivered`)
  await runtime.runner.close()
  if (claude.processes.some(({ isClosed }) => !isClosed)) problems.push('a process was left behind')
  problems.push(...runtime.faults.map(String))
  expect(problems).toEqual([])
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 5_000
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('It did not become true in time.')
    await turn()
  }
}

/** More with MODEL_RUNS=5000. With MODEL_SHRINK=1 a failure is made smaller, which takes minutes. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 60)

test(
  'whatever clients do while processes start, wait and work, each message ends once and no setting is overtaken',
  async () => {
    await fc.assert(fc.asyncProperty(scenario, run), {
      numRuns: RUNS,
      endOnFailure: process.env['MODEL_SHRINK'] === undefined,
    })
  },
  20_000 + RUNS * 1_000,
)
