/** A follow-up prompt of an editor: from sending it over ACP to the first text, beside the ACP adapter of Claude Code itself. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import { inTurns, report } from './support/measure.mjs'
import { account, bench, MAIN, makePlace, onClose, startDaemon, startModel, TOOLS } from './support/place.mjs'

const ROUNDS = 40
/** Think time: no user writes immediately after a turn has ended. */
const PAUSE_MS = 150
const { session: call } = methods.agent
const ADAPTER = fileURLToPath(import.meta.resolve('@agentclientprotocol/claude-agent-acp')).replace(
  /lib\.js$/,
  'index.js',
)

/** An editor with one session; `prompt` resolves with the times of the first text and of the end, in milliseconds. */
async function openEditor(words, env, session) {
  const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  onClose(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let onText = () => {}
  const { agent } = client({ name: 'bench' })
    .onNotification(methods.client.session.update, ({ params }) => {
      if (params.update.sessionUpdate === 'agent_message_chunk') onText()
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request(call.new, { mcpServers: [], ...session })
  return async () => {
    let first = null
    onText = () => {
      first ??= performance.now()
    }
    const start = performance.now()
    await agent.request(call.prompt, { sessionId, prompt: [{ type: 'text', text: 'hello' }] })
    return { first: first - start, end: performance.now() - start }
  }
}

await bench(async () => {
  const place = makePlace()
  const model = await startModel({ rules: [{ reply: [{ text: 'A short answer.' }] }] })
  const adapterEnv = { ...place.env, ...account(model, join(place.folder, 'adapter')) }
  // Each tool is listed to the model: both have the same ones.
  const adapter = await openEditor([ADAPTER], adapterEnv, {
    cwd: place.cwd,
    _meta: { claudeCode: { options: { tools: TOOLS } } },
  })
  mkdirSync(place.home)
  writeFileSync(join(place.home, 'config.jsonc'), JSON.stringify({ defaults: { tools: TOOLS } }))
  await startDaemon(place, model, { WARM: 0 })
  const ours = await openEditor([MAIN, 'acp', '--home', place.home], place.env, { cwd: place.cwd })
  const ends = { 'claude-agent-acp': [], signalbox: [] }
  const subject = (name, prompt) => async (round) => {
    const { first, end } = await prompt()
    if (round > 0) ends[name].push(end)
    return first
  }
  const figures = await inTurns(
    { 'claude-agent-acp': subject('claude-agent-acp', adapter), signalbox: subject('signalbox', ours) },
    ROUNDS,
    PAUSE_MS,
  )
  const goals = [{ row: 'signalbox', most: 1.1 }]
  report({ name: 'follow-up through ACP to first text', figures, goals })
  report({ name: 'follow-up through ACP to the end of the turn', figures: ends, goals })
})
