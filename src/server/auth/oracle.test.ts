/**
 * A viewer tries to find a secret letter by letter: each right guess is compared with a wrong one of the same
 * length. If an answer differs by more than the guess itself, it is an oracle for the secret.
 */

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ids, messageQueued, permissionRequested, textEnded } from '../../../test/support/build.js'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { type Route, routes } from '../../protocol/route.js'

const CONFIGURED = 'canarysecretvar0001xyz'
const NAMED = 'hunterpassphrase'
const SECRETS = [CONFIGURED, NAMED, 'ghp_canary00000000000000000000000000003']

async function setup() {
  const runtime = await createServedRuntime()
  runtime.secrets.learn([CONFIGURED])
  const title = `Deploy ${CONFIGURED} and ${SECRETS[2]}, password=${NAMED}`
  const { id: sessionId } = await runtime.createSession()
  const requestId = ids.next('per')
  await runtime.journal.append(sessionId, [
    { type: 'session.changed', data: { title } },
    messageQueued(`Use ${CONFIGURED}, and password=${NAMED} for ${SECRETS[2]}.`),
    {
      type: 'tool.requested',
      data: {
        toolUseId: 'toolu_1',
        name: 'Bash',
        input: { command: `curl -u kim:${CONFIGURED} x`, password: NAMED },
      },
    },
    permissionRequested(requestId),
    textEnded(`Done with ${CONFIGURED}.`),
  ])
  const { secret } = await runtime.access.createToken({ name: 'a viewer', role: 'viewer' })
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${runtime.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return `${response.status} ${await response.text()}`
  }
  return { ...runtime, sessionId, requestId, ask }
}

/** The beginnings of a secret, each with one that is wrong in its last letter. */
function guessesOf(secret: string): [right: string, wrong: string][] {
  return [4, 6, 7, 8, 12, secret.length - 1].map((length) => {
    const right = secret.slice(0, length)
    return [right, `${right.slice(0, -1)}${right.endsWith('q') ? 'j' : 'q'}`]
  })
}

const WRAPPED: readonly ((guess: string) => string)[] = [
  (guess) => guess,
  (guess) => `"${guess}"`,
  (guess) => `${guess}…`,
  (guess) => `${guess}*`,
]

const readable = Object.entries(routes as Readonly<Record<string, Route>>).filter(
  ([name, { role }]) =>
    (role === 'viewer' || role === null) && !['logout', 'login', 'metrics'].includes(name),
)
const isStream = ({ reply }: Route) => reply === null

/** Every text that a viewer can put into a request: in the path, the query or the body. */
function placesOf(name: string, route: Route): string[] {
  const query = Object.keys(route.query?.shape ?? {}).map((key) => `query ${key}`)
  const params = [...route.path.matchAll(/:(\w+)/g)].map(([, key]) => `path ${key}`)
  return [...query, ...params, ...(route.body ? ['body'] : [])].map((place) => `${name}: ${place}`)
}

const places = readable.flatMap(([name, route]) =>
  isStream(route) ? [] : placesOf(name, route).map((place) => [place, name, route] as const),
)

test('the routes that a viewer may read are all here', () => {
  expect(places.map(([place]) => place)).toEqual(
    expect.arrayContaining([
      'search: query q',
      'listSessions: query q',
      'listSessions: query cwd',
      'getSession: path id',
    ]),
  )
  expect(readable.map(([name]) => name)).not.toContain('backtestPolicy')
})

describe('no answer tells whether the beginning of a secret was guessed', () => {
  test.each(places)('%s', async (place, _, route) => {
    const { ask, sessionId, requestId, folder } = await setup()
    const [kind = '', key = ''] = place.slice(place.indexOf(': ') + 2).split(' ')
    const send = (guess: string) => {
      const path = route.path.replaceAll(/:(\w+)/g, (whole, param: string) => {
        if (kind === 'path' && param === key) return encodeURIComponent(guess)
        if (param !== 'id') return whole
        return route.path.includes('/requests/') ? requestId : sessionId
      })
      const q = place.startsWith('search') && key !== 'q' ? 'done' : undefined
      const query = new URLSearchParams({
        ...(q !== undefined && { q }),
        ...(kind === 'query' && { [key]: guess }),
      })
      const body = { tool: 'Bash', input: { command: `echo ${guess}` }, cwd: folder }
      return ask(route.method, `${path}?${query.toString()}`, route.body ? body : undefined)
    }
    for (const secret of SECRETS)
      for (const guesses of guessesOf(secret)) {
        for (const wrap of WRAPPED) {
          const [right, wrong] = await Promise.all(
            guesses.map(async (guess) => (await send(wrap(guess))).replaceAll(guess, 'GUESS')),
          )
          expect([place, right]).toEqual([place, wrong])
        }
      }
  })
})

test('what a viewer searches for is found where nothing is hidden, on pages of any size', async () => {
  const { ask, journal, sessionId } = await setup()
  for (let index = 0; index < 130; index += 1)
    await journal.append(sessionId, [
      textEnded(`${index % 2 ? `canary${CONFIGURED}` : 'canarybird'} number${index}`),
    ])
  const Page = z.object({
    results: z.array(z.object({ snippet: z.string() })),
    nextCursor: z.int().nullable(),
  })
  const snippets: string[] = []
  for (let cursor: number | null = null; ; ) {
    const reply = await ask(
      'GET',
      `/api/v1/search?q=canary&limit=20${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    const { results, nextCursor } = Page.parse(JSON.parse(reply.slice(4)))
    snippets.push(...results.map(({ snippet }) => snippet))
    if (nextCursor === null) break
    expect(results.length).toBe(20)
    cursor = nextCursor
  }
  expect(snippets.length).toBe(65 + 65) // The other half begins with the word itself.
  expect(snippets.join()).not.toContain(CONFIGURED)
  expect(await ask('GET', '/api/v1/search?q=canarysecretvar')).toContain('"results":[]')
})

test('the part of a secret at the edge of a snippet is not shown', async () => {
  const { ask, journal, sessionId } = await setup()
  await journal.append(sessionId, [textEnded(`needle ${'x '.repeat(72)}${CONFIGURED} end`)])
  expect(await ask('GET', '/api/v1/search?q=needle')).not.toContain('canary')
})

test('who may act still finds what is hidden from viewers', async () => {
  const { client } = await setup()
  expect((await client.search({ query: { q: 'canarysecret' } })).results.length).toBeGreaterThan(0)
  expect((await client.listSessions({ query: { q: 'canarysecret' } })).sessions.length).toBe(1)
})
