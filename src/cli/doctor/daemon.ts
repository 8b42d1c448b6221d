/** Checks the running daemon, or whether one could start. */

import { createServer } from 'node:net'
import type { Config } from '../../config.js'
import { homeAt } from '../../home.js'
import { findHolder } from '../../store/home-lock.js'
import { findDaemon } from '../connect.js'
import type { Finding } from './finding.js'

export async function checkDaemon(home: string, config: Config | null): Promise<Finding> {
  const about = await findDaemon(home)
    ?.about()
    .catch(() => null)
  if (about) {
    const { pid, version, storage } = about.about
    const found = `running (pid ${pid}), ${version}`
    if (!storage) return { name: 'Daemon', state: 'ok', found }
    const [problem = storage.message, ...fix] = storage.message.split(/(?<=\.) /)
    return { name: 'Daemon', state: 'broken', found: `${found}, but: ${problem}`, fix: fix.join(' ') }
  }
  const holder = await findHolder(homeAt(home).database)
  if (holder !== null)
    return {
      name: 'Daemon',
      state: 'broken',
      found: `A daemon uses this home (pid ${holder}), but it does not answer, or daemon.json is missing.`,
      fix: 'Restart it.',
    }
  const { host = '127.0.0.1', port = 4747 } = config ?? {}
  return (await isFree(host, port))
    ? { name: 'Daemon', state: 'ok', found: `not running; port ${port} is free` }
    : {
        name: 'Daemon',
        state: 'broken',
        found: `Port ${port} is in use by another program.`,
        fix: 'Choose another port with --port or the setting port.',
      }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
