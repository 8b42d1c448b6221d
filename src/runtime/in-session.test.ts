/** Which clients run inside a session, seen from the connection alone. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { MARK, markOf } from '../session/claude/process-identity.js'
import { createSessionCheck } from './in-session.js'

const HOME = '/home/of/this/test'
const isLinux = process.platform === 'linux'

/** A process that connects and waits; `wrap`: around a command that connects. */
async function connected(
  env: Record<string, string>,
  wrap = (command: string) => command,
  [listening, to] = ['127.0.0.1', '127.0.0.1'],
): Promise<Socket> {
  const server = createServer()
  server.listen(0, listening)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP.
  const script = `require('net').connect(${port}, '${to}').on('close', () => process.exit())`
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

test.runIf(isLinux).each([
  ['::1', '::1'],
  ['::', '127.0.0.1'],
])('a server on %s finds its client on %s', async (listening, to) => {
  const socket = await connected({}, undefined, [listening, to])
  expect(await createSessionCheck(HOME)(socket)).toBe(false)
})

test.runIf(isLinux)('however many processes are between the mark and the client', async () => {
  const nested = (command: string) =>
    `env -i /bin/sh -c 'f() { if [ $1 -gt 0 ]; then (f $(($1 - 1)); :); else ${command.replaceAll("'", `'"'"'`)}; :; fi; }; f 110'; true`
  expect(await createSessionCheck(HOME)(await connected(marked, nested))).toBe(true)
})

test.runIf(isLinux)('the ports of another connection do not stand for one that is gone', async () => {
  const { remotePort, localAddress, localPort } = await connected({})
  const gone = { remoteAddress: '127.0.0.2', remotePort, localAddress, localPort }
  expect(await createSessionCheck(HOME)(gone)).toBe(true)
})

test.runIf(isLinux)(
  'a connection that was reset, or came from an own address, counts as inside',
  async () => {
    const check = createSessionCheck(HOME)
    const gone = { remotePort: 1, localPort: 2 }
    expect(await check({ ...gone, remoteAddress: undefined })).toBe(true)
    const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
    for (const { address } of own) expect(await check({ ...gone, remoteAddress: address })).toBe(true)
  },
)

test.runIf(isLinux)('a client below the CLI of a terminal session is inside', async () => {
  const socket = await connected({})
  const lastActivityAt = new Date().toISOString()
  const check = (pid: number, pidSpace: string | null = null) =>
    createSessionCheck(HOME, async () => [{ pid, pidSpace, lastActivityAt }])(socket)
  // The process of this test stands for the CLI: it has started the client.
  expect(await check(process.pid)).toBe(true)
  expect(await check(process.pid, 'of a container')).toBe(false)
})
