/**
 * Cost of a long history: the start of the daemon, and its most frequent queries, against an empty home in
 * the same run. HISTORY_EVENTS=10000000 for the full figure (4.5 GB on the disk while it runs).
 */

import { inTurns, report } from './support/measure.mjs'
import { bench, makePlace, startDaemon, startModel } from './support/place.mjs'
import { cpuMsOf } from './support/process-figures.mjs'
import { fillHome, words } from './support/stored-history.mjs'

const EVENTS = Number(process.env.HISTORY_EVENTS ?? 1_000_000)
const SESSIONS = 10_000
const STARTS = 6
const ROUNDS = 15
/** Asked so often in one turn; the median counts for the time, all of them for the CPU. */
const REPEATS = 8

await bench(async () => {
  const model = await startModel()
  const empty = makePlace()
  const full = makePlace()
  const built = performance.now()
  const { sessionId, each, cwd } = await fillHome(full.home, { events: EVENTS, sessions: SESSIONS })
  const size = `${EVENTS.toLocaleString('en')} events, ${SESSIONS.toLocaleString('en')} sessions`
  const notes = [`made in ${((performance.now() - built) / 1_000).toFixed(0)} s`]

  const cpu = { none: [], all: [] }
  const start = (place, spent) => async () => {
    const begun = performance.now()
    const { stop, pid } = await startDaemon(place, model, { WARM: 0 })
    const ms = performance.now() - begun
    spent.push(cpuMsOf(pid))
    await stop()
    return ms
  }
  const nothing = 'start with nothing stored'
  const history = `start with ${size}`
  const starts = await inTurns({ [nothing]: start(empty, cpu.none), [history]: start(full, cpu.all) }, STARTS)
  report({
    name: 'the start of the daemon, until it is ready',
    figures: starts,
    goals: [
      { row: history, most: 1.5 },
      { row: history, absolute: 1_000 },
    ],
    notes: [
      ...notes,
      `CPU until ready: ${least(cpu.none)} ms with nothing, ${least(cpu.all)} ms with history (least of ${STARTS})`,
    ],
  })

  const firstUsage = (place) => async () => {
    const { url, token, stop } = await startDaemon(place, model, { WARM: 0 })
    const begun = performance.now()
    await fetchText(`${url}/api/v1/usage?by=day`, token)
    const ms = performance.now() - begun
    await stop()
    return ms
  }
  report({
    name: 'usage by day, the first time after a start',
    figures: await inTurns(
      { 'with nothing stored': firstUsage(empty), [`with ${size}`]: firstUsage(full) },
      3,
    ),
  })

  const daemons = {
    empty: await startDaemon(empty, model, { WARM: 0 }),
    full: await startDaemon(full, model, { WARM: 0 }),
  }
  const { session: only } = await daemons.empty.client.createSession({ body: { cwd: empty.cwd } })
  const zone = 'timeZone=Europe/Berlin'
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString()
  const questions = {
    'sessions list': 'sessions',
    'sessions that wait': 'sessions?state=permission',
    'sessions at work': 'sessions?state=working',
    'sessions of terminals': 'sessions?kind=observed',
    'sessions of a folder': `sessions?cwd=${encodeURIComponent(cwd)}`,
    'sessions with a word': 'sessions?q=9999',
    inbox: 'requests?state=pending',
    'usage by day': `usage?by=day&${zone}`,
    'usage by day, 30 days': `usage?by=day&${zone}&since=${since}`,
    'usage by model': 'usage?by=model',
    'usage by project': 'usage?by=project',
    'usage by session': 'usage?by=session',
    'search, rare word': `search?q=${words.rare}`,
    'search, common word': `search?q=${words.common}`,
    '500 events of a session': (id) => `sessions/${id}/events?after=${Math.max(0, each - 600)}&limit=500`,
    'figures for Prometheus': '/metrics',
  }
  const goals = new Set(['sessions list', 'inbox', 'usage by day'])
  for (const [name, path] of Object.entries(questions)) {
    const spent = { empty: 0, full: 0 }
    let asked = 0
    const ask = (kind, id) => async () => {
      const { url, token, pid } = daemons[kind]
      const route = typeof path === 'string' ? path : path(id)
      const address = route.startsWith('/') ? `${url}${route}` : `${url}/api/v1/${route}`
      const before = cpuMsOf(pid)
      const times = []
      for (let index = 0; index < REPEATS; index += 1) {
        const begun = performance.now()
        await fetchText(address, token)
        times.push(performance.now() - begun)
      }
      spent[kind] += cpuMsOf(pid) - before
      if (kind === 'full') asked += REPEATS
      return times.toSorted((one, other) => one - other)[REPEATS >> 1]
    }
    const row = `with ${size}`
    const figures = await inTurns(
      { 'with nothing stored': ask('empty', only.id), [row]: ask('full', sessionId) },
      ROUNDS,
    )
    report({
      name,
      figures,
      goals: goals.has(name) ? [{ row, absolute: 20 }] : [],
      notes: [
        `CPU of the daemon: ${(spent.empty / asked).toFixed(1)} ms with nothing, ${(spent.full / asked).toFixed(1)} ms with history`,
      ],
    })
  }
})

async function fetchText(address, token) {
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
  const body = await response.text()
  if (!response.ok) throw new Error(`${address}: ${body}`)
}

function least(values) {
  return Math.min(...values).toFixed(0)
}
