/**
 * `npm run chaos:daemon`: kills the daemon at random moments of turns with the real CLI, starts it again, and checks that each
 * turn ends as the scripted model said. `--minutes N`, `--seed N`.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { createClient } = await import(pathToFileURL(join(root, 'dist/client/index.js')).href)
const valueOf = (name, otherwise) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
const minutes = valueOf('--minutes', 1)
const seed = valueOf('--seed', Date.now() % 1e6)
let state = seed
/** Park and Miller. */
const random = () => {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}
const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')
const folder = mkdtempSync(join(tmpdir(), 'signalbox-chaos-'))
const [home, cwd] = [join(folder, 'home'), join(folder, 'project')]
mkdirSync(cwd)
const bash = (mark) => ({ tool: 'Bash', input: { command: `echo ${mark} >> ${cwd}/effects; node -e 0` } })
const KINDS = ['stream', 'write', 'lister']
writeFileSync(
  join(folder, 'script.json'),
  JSON.stringify({
    defaults: { chunk: 8, delayMs: 0 },
    rules: [
      { when: { user: 'stream' }, reply: [{ text: WORDS, delayMs: 40 }] },
      ...Array.from({ length: 400 }, (_, index) => ({
        when: { user: `write-${index}-` },
        reply: [bash(`run-${index}-`)],
      })),
      {
        when: { user: 'lister' },
        reply: [{ text: 'Looking.' }, { tool: 'mcp__signalbox__datetime', input: {} }],
      },
      { when: { toolResult: '*' }, reply: [{ text: `Done. ${WORDS}`, delayMs: 20 }] },
      { reply: [{ text: 'noted' }] },
    ],
  }),
)
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  IS_SANDBOX: '1',
  SIGNALBOX_KEEPER: 'auto',
  SIGNALBOX_WARM: '0',
  SIGNALBOX_READ_ONLY_JAIL: 'off',
  SIGNALBOX_ON_RESTART: 'continue',
  SIGNALBOX_MAX_LIVE: '8',
}
async function start() {
  const words = ['start', '--json', '--port', '0', '--home', home, '--scripted', join(folder, 'script.json')]
  const child = spawn(process.execPath, [join(root, 'dist/bin/signalbox.cjs'), ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.on('data', (text) => process.stderr.write(text))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  return { child, client: createClient({ url: JSON.parse(line).url, token }) }
}
const counts = { kills: 0, turns: 0, reconnected: 0, resumed: 0, wrong: 0, doubled: 0, hung: 0, left: 0 }
const problems = []
let serial = 0
let daemon = await start()

async function eventsOf(id) {
  const events = []
  for (;;) {
    const page = await daemon.client.listEvents({
      params: { id },
      query: { after: events.length, limit: 1000 },
    })
    events.push(...page.events)
    if (page.nextCursor === null) return events
  }
}
async function settle(ids) {
  const until = Date.now() + 120_000
  for (const id of ids) {
    for (;;) {
      const { session } = await daemon.client.getSession({ params: { id } })
      if (session.turn === null && session.turns > 0 && session.state === 'idle') break
      if (Date.now() > until) {
        counts.hung += 1
        problems.push({
          id,
          hung: session.state,
          activity: session.activity,
          turns: session.turns,
          process: session.process,
        })
        break
      }
      await answer(session)
      await wait(50)
    }
  }
}
const answer = async ({ pendingRequests }) => {
  for (const id of pendingRequests)
    await daemon.client.answerRequest({ params: { id }, body: { decision: 'allow' } }).catch(() => {})
}
function judge(kind, number, events) {
  const found = []
  if (events.some(({ seq }, index) => seq !== index + 1)) found.push('numbers')
  const of = (type) => events.filter((event) => event.type === type)
  const isResumed = of('turn.ended').some(({ data }) =>
    ['daemon_restarted', 'crashed'].includes(data.stopReason),
  )
  if (isResumed) counts.resumed += 1
  if (of('notice.raised').some(({ data }) => data.topic === 'reconnected')) counts.reconnected += 1
  const last = of('turn.ended').at(-1)?.data
  const wanted = kind === 'stream' ? WORDS : `Done. ${WORDS}`
  if (last?.outcome !== 'completed' || last.text !== wanted)
    found.push(`end ${last?.outcome} ${String(last?.text).slice(0, 60)}`)
  if (!isResumed) {
    const keys = events.flatMap(({ type, data }) => {
      const id =
        data.toolUseId ??
        data.requestId ??
        data.turnId ??
        (type.endsWith('text.ended') ? data.messageId : undefined)
      return id && /^(tool|turn|permission|text|message)\./.test(type)
        ? [`${type} ${id} ${data.messageId ?? ''} ${data.index ?? ''}`]
        : []
    })
    if (new Set(keys).size !== keys.length) {
      counts.doubled += 1
      found.push(`doubled ${keys.find((key, index) => keys.indexOf(key) !== index)}`)
    }
  }
  if (kind === 'write') {
    const effects = existsSync(join(cwd, 'effects')) ? readFileSync(join(cwd, 'effects'), 'utf8') : ''
    const ran = effects.split('\n').filter((line) => line === `run-${number}-`).length
    if (ran !== 1) found.push(`ran ${ran} times`)
  }
  return found
}
const end = Date.now() + minutes * 60_000
while (Date.now() < end && serial < 399) {
  const begun = []
  for (const kind of KINDS) {
    serial += 1
    const { session } = await daemon.client.createSession({ body: { cwd, prompt: `${kind}-${serial}-` } })
    begun.push({ kind, number: serial, id: session.id })
  }
  const kills = 1 + Math.floor(random() * 3)
  for (let kill = 0; kill < kills; kill += 1) {
    const at = Date.now() + random() * 8_000
    while (Date.now() < at) {
      for (const { id } of begun)
        if (random() < 0.3) await answer((await daemon.client.getSession({ params: { id } })).session)
      await wait(Math.min(100, Math.max(0, at - Date.now())))
    }
    daemon.child.kill('SIGKILL')
    await once(daemon.child, 'exit')
    counts.kills += 1
    await wait(random() * 300)
    daemon = await start()
  }
  await settle(begun.map(({ id }) => id))
  for (const { kind, number, id } of begun) {
    counts.turns += 1
    const events = await eventsOf(id)
    const found = judge(kind, number, events)
    if (found.length === 0) continue
    counts.wrong += 1
    problems.push({ id, kind, number, found })
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(events, null, 1))
  }
  for (const { id } of begun) await daemon.client.stopSession({ params: { id }, body: {} }).catch(() => {})
  process.stderr.write(`${JSON.stringify({ seed, ...counts })}\n`)
}
daemon.child.kill('SIGTERM')
await once(daemon.child, 'exit')
const { findMarked, markOf } = await import(
  pathToFileURL(join(root, 'dist/session/claude/process-identity.js')).href
)
counts.left = findMarked(`${markOf(home)}/`).length + findMarked(`model-${markOf(home)}`).length
process.stdout.write(`${JSON.stringify({ seed, folder, ...counts, problems })}\n`)
if (problems.length === 0 && counts.left === 0) rmSync(folder, { recursive: true, force: true })
process.exit(problems.length === 0 && counts.left === 0 ? 0 : 1)
