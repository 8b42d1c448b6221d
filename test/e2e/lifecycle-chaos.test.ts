/**
 * The lifecycle stream under kill -9: nothing is lost, nothing comes twice, the order is kept. A few rounds here;
 * `npm run chaos:lifecycle` kills the consumer 500 times and the daemon 40 times, and `CHAOS_KILLS=5000` as often as that.
 */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/lib/sqlite/driver.js'
import { rotateStream } from '../../src/terminal/stream/rotate.js'
import { problemsOf } from '../support/check-log.js'
import { allEvents, startDaemonProcess } from '../support/daemon-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { makeTerminalHome } from '../support/terminal-home.js'

const isFull = process.env['CHAOS'] === 'full'
const KILLS = Number(process.env['CHAOS_KILLS'] ?? (isFull ? 500 : 10))
/** For each life of the consumer. */
const LINES_A_LIFE = 100
/** How often the stream is rotated: some hundred times in all, as no consumer lives long enough to clean up. */
const ROTATIONS = 0.05 * Math.min(1, 500 / KILLS)
const DAEMON_KILLS = isFull ? 40 : 3
const CONSUMER = fileURLToPath(new URL('../support/consumer-process.mjs', import.meta.url))
const HOURS = 4 * 3_600_000

function aLine(fields: Record<string, unknown>) {
  const id = randomUUID()
  const line = {
    id,
    occurredAtIso: new Date().toISOString(),
    provider: 'claude',
    projectPath: '/p',
    cwd: '/p',
    ...fields,
  }
  return { id, text: `${JSON.stringify(line)}\n` }
}

test(
  'a consumer that is killed again and again stores every line once, in order, through every rotation',
  async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'streams', 'lifecycle.jsonl')
    const database = join(folder, 'lifecycle.db')
    mkdirSync(dirname(path))
    const written: string[] = []
    const end = new AbortController()
    let rotations = 0
    // Not more than a consumer that lives so short a life can store: else it is a test of how long a disk is.
    let isTurnOf = 0
    const writing = (async () => {
      while (!end.signal.aborted) {
        if (written.length >= isTurnOf * LINES_A_LIFE) {
          await pause(1)
          continue
        }
        for (let n = Math.random() * 20; n > 0; n--) {
          const padding = 'x'.repeat(Math.random() < 0.02 ? 30_000 : Math.random() * 400)
          const { id, text } = aLine({
            eventType: 'session.lifecycle',
            phase: 'started',
            sessionId: 'ses-1',
            padding,
          })
          appendFileSync(path, text)
          written.push(id)
        }
        if (Math.random() < ROTATIONS && rotateStream(path, Date.now())) rotations += 1
        await pause(Math.random() * 8)
      }
    })()

    let errors = ''
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [CONSUMER, path, database], { stdio: ['ignore', 'pipe', 'pipe'] })
      const exited = once(child, 'exit')
      child.stderr.on('data', (text) => (errors += String(text)))
      isTurnOf += 1
      // Some die while they start.
      if (Math.random() < 0.9) await once(child.stdout, 'data')
      await pause(Math.random() * 60)
      child.kill('SIGKILL')
      await exited
    }
    end.abort()
    await writing
    const last = spawn(process.execPath, [CONSUMER, path, database], { stdio: 'ignore' })
    onTestFinished(() => void last.kill('SIGKILL'))
    const stored = await openDatabase(database)
    onTestFinished(() => stored.close())
    const ids = () =>
      (
        stored.prepare('select id from session_lifecycle_events order by rowid').all() as { id: string }[]
      ).map(({ id }) => id)
    const count = () => stored.prepare('select count(*) as count from session_lifecycle_events').get()
    await expect.poll(count, { timeout: 600_000, interval: 200 }).toEqual({ count: written.length })

    expect(ids().findIndex((id, index) => id !== written[index])).toBe(-1)
    expect(stored.prepare('select count(*) as bad from lifecycle_bad_lines').get()).toEqual({ bad: 0 })
    expect(errors).toBe('')
    if (isFull)
      process.stdout.write(
        `${KILLS} kills, ${rotations} rotations by hand, ${written.length} lines: none lost, none doubled\n`,
      )
  },
  HOURS,
)

test(
  'a daemon that is killed again and again tells of every turn of every terminal once, in order',
  async () => {
    const at = await makeTerminalHome({ rules: [{ reply: [{ text: 'x' }] }] })
    mkdirSync(dirname(at.stream), { recursive: true })
    const sessions = Array.from({ length: 4 }, () => ({ id: randomUUID(), prompts: [] as string[] }))
    const end = new AbortController()
    const write = (sessionId: string, fields: Record<string, unknown>) =>
      appendFileSync(at.stream, aLine({ ...fields, sessionId }).text)
    const writing = (async () => {
      while (!end.signal.aborted) {
        for (const { id, prompts } of sessions) {
          const prompt = `${prompts.length}`
          write(id, { eventType: 'turn.start', prompt })
          prompts.push(prompt)
          if (Math.random() < 0.3)
            write(id, { eventType: 'skill.lifecycle', phase: 'in_progress', skillName: 's' })
          if (Math.random() < 0.3) {
            write(id, {
              eventType: 'session.lifecycle',
              phase: 'waiting_permission',
              toolName: 'Bash',
              toolInput: {},
            })
          }
          write(id, { eventType: 'turn.end', outcome: 'completed' })
        }
        await pause(100)
      }
    })()

    for (let kill = 0; kill < DAEMON_KILLS; kill++) {
      const daemon = await startDaemonProcess(at.place)
      await pause(Math.random() * 1_000)
      await daemon.kill()
    }
    end.abort()
    await writing
    for (const { id } of sessions)
      write(id, { eventType: 'session.lifecycle', phase: 'ended', reason: 'other' })
    const { client } = await startDaemonProcess(at.place)
    const ended = async () =>
      (await client.listSessions({ query: { kind: 'observed', state: 'ended' } })).sessions
    await expect.poll(async () => (await ended()).length, { timeout: 60_000, interval: 200 }).toBe(4)

    for (const session of await ended()) {
      const events = await allEvents(client, session.id)
      const { prompts = [] } = sessions.find(({ id }) => id === session.claudeSessionId) ?? {}
      expect(events.flatMap((event) => (event.type === 'message.queued' ? [event.data.text] : []))).toEqual(
        prompts,
      )
      expect(session.turns).toBe(prompts.length)
      expect(problemsOf(events)).toEqual([])
    }
  },
  HOURS,
)
