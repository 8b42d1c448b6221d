/** Token usage from 200 MB of transcripts, against ccusage: the first time, and when nothing has changed since. */

import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createIdSource } from '../dist/lib/id.js'
import { openSqliteStore } from '../dist/store/sqlite/store.js'
import { createTranscriptUsage } from '../dist/usage/transcript-usage.js'
import { inTurns, report, timed } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'

const ROUNDS = 5
const FILES = 1_600
const PEER = 'ccusage@20.0.24'

await bench(async () => {
  const folder = temporaryFolder()
  const claude = join(folder, 'claude')
  await writeTranscripts(join(claude, 'projects'))
  const peer = installPeer(folder)
  const ids = createIdSource()
  let life = 0
  let kept = null

  const first = async () => {
    life += 1
    const path = join(folder, `box-${life}.db`)
    const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
    const usage = createTranscriptUsage({ folder: join(claude, 'projects'), store })
    const ms = await timed(() => usage.sums())
    kept = usage
    return ms
  }
  const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_CONFIG_DIR: claude }
  const ask = () =>
    spawnSync(peer, ['daily', '--json', '--offline'], { env, encoding: 'utf8', maxBuffer: 1 << 28 })
  const figures = await inTurns(
    {
      ...(peer && {
        ccusage: () => timed(() => ask()),
      }),
      'signalbox, the first time': first,
      'signalbox, again': () => timed(() => kept.sums()),
    },
    ROUNDS,
  )
  report({
    name: `usage from ${FILES} transcripts`,
    figures,
    goals: peer
      ? [
          { row: 'signalbox, the first time', most: 1 / 2 },
          { row: 'signalbox, again', most: 1 / 50 },
        ]
      : [],
    notes: peer ? [same(await kept.sums(), ask().stdout)] : [`${PEER} could not be installed; ours alone.`],
  })
})

/** Whether both have counted the same. */
function same(sums, told) {
  const ours = sums.reduce((total, sum) => total + sum.inputTokens + sum.outputTokens, 0)
  const { totals } = JSON.parse(told)
  const theirs = totals.inputTokens + totals.outputTokens
  return ours === theirs ? `both count ${ours} tokens` : `MISSED: ours ${ours} tokens, theirs ${theirs}`
}

/** A peer of the benchmark alone, and no part of the product. */
function installPeer(folder) {
  const prefix = join(folder, 'peer')
  mkdirSync(prefix)
  writeFileSync(join(prefix, 'package.json'), '{}')
  const { status } = spawnSync('npm', ['install', '--silent', '--no-audit', '--no-fund', PEER], {
    cwd: prefix,
  })
  return status === 0 ? join(prefix, 'node_modules/.bin/ccusage') : null
}

/** As Claude Code writes them: mostly copies of requests, and a line for each block of a message. */
async function writeTranscripts(folder) {
  const request = JSON.stringify({ type: 'api-request', body: 'The prompt of the system. '.repeat(1_200) })
  for (let file = 0; file < FILES; file += 1) {
    const project = join(folder, `-home-dev-project-${file % 40}`)
    mkdirSync(project, { recursive: true })
    const sessionId = crypto.randomUUID()
    const out = createWriteStream(join(project, `${sessionId}.jsonl`))
    for (let turn = 0; turn < 4; turn += 1) {
      const at = new Date(Date.UTC(2026, 8, 1 + (file % 60), turn)).toISOString()
      const common = { cwd: `/home/dev/project-${file % 40}`, sessionId, version: '2.1.325', timestamp: at }
      out.write(`${request}\n`)
      out.write(
        `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Go on.' }, ...common })}\n`,
      )
      for (let call = 0; call < 4; call += 1) {
        const id = `msg_${file}_${turn}_${call}`
        const usage = {
          input_tokens: 10 + call,
          cache_creation_input_tokens: 100,
          cache_read_input_tokens: 20_000,
          output_tokens: 200 + turn,
        }
        const message = { model: 'claude-opus-5', id, type: 'message', role: 'assistant', usage: undefined }
        for (const text of ['I look at the file first.', 'x'.repeat(600)]) {
          const whole = { ...message, content: [{ type: 'text', text }], usage }
          const line = { parentUuid: null, message: whole, requestId: `req_${id}`, type: 'assistant' }
          out.write(`${JSON.stringify({ ...line, uuid: crypto.randomUUID(), ...common })}\n`)
        }
      }
    }
    out.end()
    await finished(out)
  }
}
