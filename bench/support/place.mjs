/** A machine of one's own for a benchmark: temporary folders, the scripted model, the daemon, the bare SDK. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { createQuickFetch } from '../../dist/cli/quick-fetch.js'
import { createClient } from '../../dist/client/index.js'
import { AsyncQueue } from '../../dist/lib/async-queue.js'
import { startScriptedModel } from '../../dist/scripted/index.js'

export const MAIN = fileURLToPath(new URL('../../dist/bin/signalbox.cjs', import.meta.url))
const closers = []

/** Runs a benchmark, and puts everything away behind it. */
export async function bench(run) {
  try {
    await run()
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

export function onClose(close) {
  closers.push(close)
}

export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export function makePlace() {
  const folder = temporaryFolder()
  const cwd = join(folder, 'project')
  mkdirSync(cwd)
  return { folder, cwd, home: join(folder, 'home'), env: { PATH: process.env.PATH, HOME: folder } }
}

/** Connections that stay, as those of a browser or a program do. */
const agent = new Agent({ keepAlive: true })

/** The daemon as a user runs it. The model is the same for it and for the bare SDK, and no part of either. */
export async function startDaemon({ home, env }, model, settings = {}) {
  mkdirSync(home, { recursive: true })
  const variables = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`SIGNALBOX_${name}`, String(value)]),
  )
  const child = spawn(process.execPath, [MAIN, 'start', '--json', '--port', '0', '--home', home], {
    env: { ...env, ...account(model, join(home, 'claude')), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  closers.push(stop)
  const died = exited.then(([code]) => {
    throw new Error(`The daemon ended with ${code} before it was ready.`)
  })
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died])
  died.catch(() => {})
  const { url, pid } = JSON.parse(line)
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  return { url, pid, token, stop, client: createClient({ url, token, fetch: createQuickFetch(agent) }) }
}

export async function startModel(script = { rules: [{ reply: [{ text: 'ok' }] }] }) {
  const model = await startScriptedModel(script)
  closers.push(() => model.close())
  return model
}

/** A made-up account, at the scripted model. */
export function account(model, configFolder) {
  mkdirSync(configFolder, { recursive: true })
  return {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CONFIG_DIR: configFolder,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
}

/** A session of ours has more tools, and each is listed to the model: for a comparison both have these. */
export const TOOLS = ['Bash', 'Edit', 'Read', 'Write']

/** Options with which the bare SDK does what a session of ours does: the same environment, tools and fragments. */
export function bareOptions({ cwd, folder, env }, model, more = {}) {
  return {
    cwd,
    env: { ...env, ...account(model, join(folder, 'bare')) },
    includePartialMessages: true,
    settingSources: [],
    strictMcpConfig: true,
    tools: TOOLS,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    ...more,
  }
}

/** A live session of the bare SDK. */
export class Bare {
  #input = new AsyncQueue()
  #waiting = []

  constructor(options) {
    this.query = query({ prompt: this.#input, options })
    this.done = this.#read()
    closers.push(() => this.close())
  }

  async #read() {
    try {
      for await (const message of this.query) {
        for (const waiting of this.#waiting) if (waiting.matches(message)) waiting.resolve(performance.now())
        this.#waiting = this.#waiting.filter((waiting) => !waiting.matches(message))
      }
    } catch {
      // It was closed.
    }
  }

  /** When the next such message comes. */
  next(matches) {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }))
  }

  send(text) {
    this.#input.push({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null })
  }

  async close() {
    this.#input.end()
    this.query.close()
    await this.done
  }
}

export const isText = (message) =>
  message.type === 'stream_event' && message.event.type === 'content_block_delta'
export const isResult = (message) => message.type === 'result'

/** Reads a stream of the daemon; `next` resolves with the time of the next such event. */
export function watch(client, options) {
  const leave = new AbortController()
  let waiting = []
  const done = (async () => {
    for await (const { event } of client.events({ ...options, signal: leave.signal })) {
      const now = performance.now()
      for (const one of waiting) if (one.matches(event)) one.resolve(now)
      waiting = waiting.filter((one) => !one.matches(event))
    }
  })().catch(() => {})
  closers.push(async () => {
    leave.abort()
    await done
  })
  return { next: (matches) => new Promise((resolve) => waiting.push({ matches, resolve })) }
}
