/**
 * Many requests, users who answer at the same time, twice, and over connections that break, pages that are reloaded, a
 * daemon that is killed again and again: each request has exactly one final answer, none is lost, none is about another
 * input. `npm run chaos:inbox` does it with 2,000 requests and 100 of the real CLI; CHAOS_SEED repeats a run.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { Answer, InboxRequest } from '../../src/protocol/request.js'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { type Attempt, createRandom, Person, type Random } from '../support/inbox-chaos.js'
import { makeStandInPlace } from '../support/stand-in.js'

const isFull = process.env['CHAOS'] === 'full'
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261_116)
const STAND_IN = isFull
  ? { requests: 2_000, sessions: 20, kills: 25 }
  : { requests: 100, sessions: 5, kills: 2 }
const REAL = isFull ? { requests: 100, sessions: 5, kills: 8 } : { requests: 5, sessions: 1, kills: 1 }
const MINUTES = isFull ? 40 : 4
const PEOPLE = ['kim', 'sato', 'lee']

/** Each answer contains its author and its request, so that it can be traced wherever it appears. */
function createAnswers(who: string, random: Random): (request: InboxRequest) => Answer {
  return ({ input, kind, questions }) => {
    if (kind === 'question') {
      if (random.chance(20)) return { decision: 'deny', message: `not now, says ${who}` }
      return {
        answers: Object.fromEntries(questions.map(({ question }) => [question, `${question} says ${who}`])),
      }
    }
    const { content } = input as { content: string }
    if (random.chance(30)) return { decision: 'deny', message: `not ${content}, says ${who}` }
    if (random.chance(40))
      return { decision: 'allow', updatedInput: { ...(input as object), content: `${content} of ${who}` } }
    return { decision: 'allow' }
  }
}

async function makePeople({ client, url }: DaemonProcess, random: Random): Promise<Person[]> {
  const people: Person[] = []
  for (const name of PEOPLE) {
    const { secret: token } = await client.createToken({ body: { name, role: 'operator' } })
    const own = random.fork()
    people.push(new Person({ name, url, token, random: own, answerTo: createAnswers(name, own) }))
  }
  return people
}

interface Chaos {
  place: Place
  kills: number
  random: Random
  /**
   * Starts the work. The function it resolves with is called repeatedly: it continues the work, and returns
   * whether it is done.
   */
  begin(client: Client): Promise<(client: Client) => Promise<boolean>>
}

/** Runs it all, and resolves with the last daemon and the replies that users got. */
async function runChaos({
  place,
  kills,
  random,
  begin,
}: Chaos): Promise<{ daemon: DaemonProcess; attempts: Attempt[] }> {
  let daemon = await startDaemonProcess(place)
  const { port } = new URL(daemon.url)
  const people = await makePeople(daemon, random)
  const tend = await begin(daemon.client)
  for (const person of people) person.start()
  const reloading = new AbortController()
  const reloads = (async () => {
    while (!reloading.signal.aborted) {
      await wait(100 + random.next(700))
      people[random.next(people.length)]?.reload()
    }
  })()
  const tendFor = async (ms: number): Promise<boolean> => {
    for (const until = Date.now() + ms; Date.now() < until; await wait(150)) {
      await goOn(daemon.client)
      if (await tend(daemon.client)) return true
    }
    return false
  }
  for (let killed = 0; killed < kills; killed += 1) {
    if (await tendFor(1_000 + random.next(3_000))) break
    await daemon.kill()
    if (random.chance(50)) await wait(random.next(500))
    daemon = await startDaemonProcess(place, port)
  }
  expect(await tendFor(MINUTES * 60_000 - 30_000)).toBe(true)
  reloading.abort()
  await reloads
  // No user's page shows a request that is not pending.
  await expect.poll(() => people.flatMap((person) => person.pending), { timeout: 10_000 }).toEqual([])
  await Promise.all(people.map((person) => person.stop()))
  return { daemon, attempts: people.flatMap((person) => person.attempts) }
}

/** A turn that was cut off between two requests waits for a user to continue it. */
async function goOn(client: Client): Promise<void> {
  const { sessions } = await client.listSessions({ query: { state: 'idle', limit: 1_000 } })
  const cutOff = ({ isInterrupted, process: behind, pendingRequests }: Session) =>
    isInterrupted && behind === 'none' && pendingRequests.length === 0
  for (const { id } of sessions.filter(cutOff))
    await client.resumeSession({ params: { id }, body: { continue: true } }).catch(() => {})
}

async function allRequests(client: Client): Promise<InboxRequest[]> {
  const found: InboxRequest[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.listRequests({ query: { limit: 500, ...(cursor !== undefined && { cursor }) } })
    found.push(...page.requests)
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

/** All replies agree with the store: one winner, the same for all clients. */
function problemsOfAttempts(requests: readonly InboxRequest[], attempts: readonly Attempt[]): string[] {
  const byId = new Map(requests.map((request) => [request.id, request]))
  return attempts.flatMap(({ requestId, who, answer, outcome, winner }) => {
    const resolution = byId.get(requestId)?.resolution
    if (!resolution) return [`${requestId} has no answer`]
    if (outcome === 'accepted' && resolution.who !== who) return [`${requestId}: ${who} was told to have won`]
    if (outcome === 'accepted' && !isSame(answer, resolution))
      return [`${requestId}: another answer of ${who} is stored`]
    if (outcome === 'refused' && winner !== resolution.who)
      return [`${requestId}: ${who} was told that ${winner} had won`]
    return []
  })
}

function isSame(answer: Answer, resolution: NonNullable<InboxRequest['resolution']>): boolean {
  const parts = ['decision', 'message', 'updatedInput', 'answers'] as const
  return parts.every((part) => {
    const said: unknown = part in answer ? (answer as Record<string, unknown>)[part] : undefined
    // A question that is refused has no decision, only no answers.
    if (resolution.decision === undefined && part === 'decision') return true
    return JSON.stringify(said ?? null) === JSON.stringify(resolution[part] ?? null)
  })
}

test(
  `${STAND_IN.requests} requests, ${STAND_IN.kills} kills of the daemon, seed ${SEED}`,
  async () => {
    const random = createRandom(SEED)
    const place = await makeStandInPlace({
      SIGNALBOX_MAX_LIVE: String(STAND_IN.sessions),
      SIGNALBOX_PARK_AFTER_MS: '1000',
    })
    const steps = Array.from({ length: STAND_IN.requests }, (_, index) =>
      index % 5 === 4
        ? `question [{"question":"Which ${index}?","options":[{"label":"A"},{"label":"B"}]}]`
        : `ask Write ${JSON.stringify({ file_path: join(place.cwd, 'a'), content: `text ${index}` })}`,
    )
    const perSession = 20
    const prompts = Array.from({ length: Math.ceil(steps.length / perSession) }, (_, index) =>
      [...steps.slice(index * perSession, (index + 1) * perSession), 'say all done'].join('\n'),
    )

    const { daemon, attempts } = await runChaos({
      place,
      random,
      kills: STAND_IN.kills,
      begin: async (client) => {
        for (const [index, prompt] of prompts.entries()) {
          const body = { cwd: place.cwd, prompt, options: place.options, idempotencyKey: `s${index}` }
          await client.createSession({ body })
        }
        // Not by what sessions say last: killed between the end of a turn and the news of it, one never says it.
        return async (now) => {
          const decided = new Set((await place.decisions()).map(({ input }) => JSON.stringify(input)))
          if (decided.size < STAND_IN.requests) return false
          const { sessions } = await now.listSessions({ query: { limit: 1_000 } })
          return sessions.every(({ state, turn }) => state === 'idle' && turn === null)
        }
      },
    })

    const { client } = daemon
    const requests = await allRequests(client)
    // Every call raised a request, and a user answered every request.
    const asked = new Set(requests.map(({ input }) => JSON.stringify(input)))
    expect(asked.size).toBe(STAND_IN.requests)
    expect(
      requests
        .filter(({ resolution }) => resolution?.by !== 'person')
        .map(({ id, resolution }) => [id, resolution]),
    ).toEqual([])
    expect(problemsOfAttempts(requests, attempts)).toEqual([])
    // Each decision that reached the agent answers a request about this very input, and was given to one call
    // only.
    const decisions = await place.decisions()
    const unused = new Map<string, string[]>()
    for (const { input, resolution } of requests) {
      const key = JSON.stringify(input)
      unused.set(key, [...(unused.get(key) ?? []), replyTo(resolution)])
    }
    const wrong = decisions.filter(({ input, reply }) => {
      const answers = unused.get(JSON.stringify(input)) ?? []
      const at = answers.indexOf(shown(reply))
      if (at >= 0) answers.splice(at, 1)
      return at < 0
    })
    expect(wrong).toEqual([])
    expect(new Set(decisions.map(({ input }) => JSON.stringify(input))).size).toBe(STAND_IN.requests)
    await expectOrderly(client)
    const refused = attempts.filter(({ outcome }) => outcome === 'refused').length
    const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length
    process.stderr.write(
      `${requests.length} requests for ${STAND_IN.requests} calls, ${attempts.length} attempts: ${refused} too late, ${unknown} cut off.\n`,
    )
    await daemon.stop()
  },
  MINUTES * 60_000,
)

function isAsked(requests: readonly InboxRequest[], number: number | undefined): boolean {
  return requests.some(({ input }) => (input as { content?: string }).content === `text ${number}`)
}

/** How an answer looks to the agent. */
function replyTo(resolution: InboxRequest['resolution']): string {
  const { decision, message, updatedInput, answers } = resolution ?? {}
  if (answers) return JSON.stringify({ answers })
  if (decision === undefined || decision === 'deny') return JSON.stringify({ message })
  return JSON.stringify({ content: updatedInput?.['content'] ?? null })
}

function shown({
  behavior,
  message,
  updatedInput,
}: {
  behavior?: string
  message?: string
  updatedInput?: Record<string, unknown>
}) {
  if (behavior === 'deny') return JSON.stringify({ message })
  if (updatedInput?.['answers']) return JSON.stringify({ answers: updatedInput['answers'] })
  const content = updatedInput?.['content'] as string
  return JSON.stringify({ content: content.includes(' of ') ? content : null })
}

test(
  `${REAL.requests} requests of the real CLI, ${REAL.kills} kills of the daemon, seed ${SEED}`,
  async () => {
    const random = createRandom(SEED + 1)
    const place = await makePlace((cwd) => ({
      rules: [
        { when: { toolResult: '*' }, reply: [{ text: 'told' }] },
        {
          when: { user: '/write (\\d+)/' },
          reply: [
            { tool: 'Write', input: { file_path: join(cwd, 'f{{match.1}}'), content: 'text {{match.1}}' } },
          ],
        },
        { reply: [{ text: 'told' }] },
      ],
    }))
    const numbers = Array.from({ length: REAL.requests }, (_, index) => index)

    const { daemon, attempts } = await runChaos({
      place,
      random,
      kills: REAL.kills,
      begin: async (client) => {
        const work = new Map<string, number[]>()
        for (let index = 0; index < REAL.sessions; index += 1) {
          const { session } = await client.createSession({ body: { cwd: place.cwd } })
          work.set(
            session.id,
            numbers.filter((number) => number % REAL.sessions === index),
          )
        }
        const stuckSince = new Map<string, number>()
        return async (now) => {
          let isDone = true
          for (const [id, left] of work) {
            const { session } = await now.getSession({ params: { id } })
            const { state, turn, queue, isInterrupted, process: behind } = session
            const isResting = state === 'idle' && turn === null && queue.length === 0
            // Killed before the CLI had written its transcript: there is no turn to resume, so the message is
            // sent again.
            const isStuck = isResting && isInterrupted && behind === 'live'
            if (!isStuck) stuckSince.delete(id)
            else if (!stuckSince.has(id)) stuckSince.set(id, Date.now())
            const isForgotten = Date.now() - (stuckSince.get(id) ?? Date.now()) > 5_000
            if (isResting && (!isInterrupted || isForgotten)) {
              const [next] = left
              if (isAsked(await allRequests(now), next)) left.shift()
              else if (next !== undefined)
                await now.sendMessage({ params: { id }, body: { text: `write ${next}` } })
            }
            isDone &&= left.length === 0
          }
          return isDone
        }
      },
    })

    const { client } = daemon
    const requests = await allRequests(client)
    expect(new Set(requests.map(({ input }) => JSON.stringify(input))).size).toBe(REAL.requests)
    expect(
      requests
        .filter(({ resolution }) => resolution?.by !== 'person')
        .map(({ id, resolution }) => [id, resolution]),
    ).toEqual([])
    expect(problemsOfAttempts(requests, attempts)).toEqual([])
    // Each file has the content that a user has allowed to be written there.
    for (const number of numbers) {
      const own = requests.filter(({ input }) => (input as { content: string }).content === `text ${number}`)
      const allowed = own.flatMap(({ resolution, input }) =>
        resolution?.decision === 'allow'
          ? [(resolution.updatedInput ?? (input as Record<string, unknown>))['content']]
          : [],
      )
      const written = await readFile(join(place.cwd, `f${number}`), 'utf8').catch(() => null)
      if (written !== null) expect(allowed).toContain(written)
    }
    for (const { sessionId } of requests.slice(0, 1))
      await sessionWhen(client, sessionId, ({ state }) => state === 'idle')
    const judged = (
      await Promise.all(
        [...new Set(requests.map(({ sessionId }) => sessionId))].map((id) => allEvents(client, id)),
      )
    ).flat()
    expect(judged.filter(({ type }) => type === 'permission.resolved')).toHaveLength(requests.length)
    await expectOrderly(client)
    await daemon.stop()
  },
  MINUTES * 60_000,
)
