/** Which clients run inside a session, seen from the connection alone. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { MARK, markOf } from '../session/claude/process-identity.js'
import { createSessionCheck } from './in-session.js'

const HOME = '/home/of/this/test'
const isLinux = process.platform === 'linux'

/** A process that connects and waits; `wrap`: around a command that connects. */
async function connected(env: Record<string, string>, wrap = (command: string) => command): Promise<Socket> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP.
  const script = `require('net').connect(${port}, '127.0.0.1').on('close', () => process.exit())`
  const child = spawn('/bin/sh', ['-c', wrap(`"${process.execPath}" -e "${script}"`)], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'ignore',
  })
  const [socket] = (await once(server, 'connection')) as [Socket]
  onTestFinished(async () => {
    socket.destroy()
    server.close()
    if (child.exitCode === null) await once(child, 'exit')
  })
  return socket
}

const marked = { [MARK]: `${markOf(HOME)}/session` }

test.runIf(isLinux)('a process with the mark runs inside a session', async () => {
  expect(await createSessionCheck(HOME)(await connected(marked))).toBe(true)
})

test.runIf(isLinux)('so does one that has dropped the mark, below a process that has it', async () => {
  const socket = await connected(marked, (command) => `env -i ${command}; true`)
  expect(await createSessionCheck(HOME)(socket)).toBe(true)
})

test.runIf(isLinux)('a process without the mark does not, nor does one of another home', async () => {
  const socket = await connected({})
  expect(await createSessionCheck(HOME)(socket)).toBe(false)
  expect(await createSessionCheck('/another')(await connected(marked))).toBe(false)
})

test.runIf(isLinux)('one on this machine that is gone counts as inside, a remote one does not', async () => {
  const gone = { remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }
  expect(await createSessionCheck(HOME)(gone)).toBe(true)
  expect(await createSessionCheck(HOME)({ ...gone, remoteAddress: '198.51.100.7' })).toBe(false)
})
