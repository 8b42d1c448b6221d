import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { killProcess } from '../../lib/kill-process.js'
import { startTokenOf } from '../../lib/start-token.js'
import { findMarked, MARK } from './process-identity.js'
import { reap } from './reaper.js'

let runs = 0

/** A process with the mark; by default it sleeps. Everything it leaves is ended with the test. */
async function start(code = 'setInterval(() => {}, 1000)', mark = `test-${process.pid}-${(runs += 1)}/`) {
  const script = `console.log('up'); ${code}`
  const child = spawn(process.execPath, ['-e', script], {
    env: { PATH: process.env['PATH'], [MARK]: `${mark}ses_1` },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  onTestFinished(() => {
    for (const pid of findMarked(mark)) killProcess(pid, 'SIGKILL')
  })
  await once(child.stdout, 'data')
  return { child, mark, pid: child.pid ?? 0 }
}

test('a process is found by its mark, and only by its own', async () => {
  const { mark, pid } = await start()
  expect(findMarked(mark)).toEqual([pid])
  expect(findMarked(`${mark}ses_2`)).toEqual([])
})

test('a start token names one process, not its pid', async () => {
  const { pid, child } = await start()
  const token = startTokenOf(pid)
  expect(token).toEqual(expect.any(String))
  expect(startTokenOf(pid)).toBe(token)
  expect(startTokenOf(process.pid)).not.toBe(token)

  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(startTokenOf(pid)).toBeNull()
})

test('everything with the mark is ended: what ignores the request, and what has left its parent and group', async () => {
  const { mark } = await start(`
    process.on('SIGTERM', () => {})
    const { spawn } = require('node:child_process')
    spawn('sh', ['-c', 'setsid sleep 300 & setsid sh -c "trap : TERM; while :; do sleep 1; done" &'], { detached: true, stdio: 'ignore' }).unref()
    setInterval(() => {}, 1000)`)
  await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(3)

  const ended = await reap(mark)

  expect(ended.length).toBeGreaterThanOrEqual(3)
  expect(findMarked(mark)).toEqual([])
})

test('a recorded process is ended only if it is still the same', async () => {
  const { pid, child } = await start()
  await reap('no-such-mark/', [{ pid, startToken: 'of another run' }])
  expect(startTokenOf(pid)).not.toBeNull()

  await reap('no-such-mark/', [{ pid, startToken: startTokenOf(pid) ?? '' }])
  await expect.poll(() => child.signalCode).toBe('SIGTERM')
})

test('nothing to end takes no time', async () => {
  expect(await reap('no-such-mark/')).toEqual([])
})
