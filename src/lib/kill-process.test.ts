import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { killProcess } from './kill-process.js'

test('a process is killed, and one that has ended already is no failure', async () => {
  const child = spawn('sleep', ['60'])
  const pid = child.pid ?? 0
  killProcess(pid, 'SIGKILL')
  await once(child, 'exit')

  expect(child.signalCode).toBe('SIGKILL')
  expect(() => killProcess(pid, 'SIGKILL')).not.toThrow()
  expect(() => killProcess(pid, 'SIGNONE' as NodeJS.Signals)).toThrow('Unknown signal')
})
