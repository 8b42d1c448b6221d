/** Looks at this machine: its addresses, and whether Tailscale runs. Changes nothing. */

import { spawnSync } from 'node:child_process'
import { hostname, networkInterfaces } from 'node:os'
import { asRecord, asText } from '../../lib/read-json.js'
import type { Tailscale } from './reach.js'

const TIMEOUT_MS = 3_000

/** Names first: they stay when the address changes. Phones find `.local` names without a name server. */
export function lanHosts(): string[] {
  const name = hostname().toLowerCase()
  const names = name.includes('.') || name === 'localhost' ? [name] : [`${name}.local`]
  return [...names.filter((one) => /^[a-z0-9.-]+$/.test(one) && one !== 'localhost'), ...lanAddresses()]
}

function lanAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family, address }) => !internal && family === 'IPv4' && !isVirtual(address))
    .map(({ address }) => address)
}

/** Addresses of containers and of Tailscale are not those of the network. */
function isVirtual(address: string): boolean {
  return /^172\.17\.|^169\.254\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address)
}

export function findTailscale(
  port: number,
  env: Readonly<Record<string, string | undefined>>,
): Tailscale | null {
  const status = run(['status', '--json'], env)
  if (status === null) return null
  const { BackendState: state, Self: self } = asRecord(parse(status))
  const name = (asText(asRecord(self)['DNSName']) ?? '').replace(/\.$/, '')
  const served = run(['serve', 'status', '--json'], env) ?? ''
  return {
    isRunning: state === 'Running' && name !== '',
    name,
    isServing: namesPort(served, port),
  }
}

/** Whether a text names this port of this machine, and not one that begins like it. */
function namesPort(text: string, port: number): boolean {
  return ['127.0.0.1', 'localhost'].some((host) =>
    text
      .split(`${host}:${port}`)
      .slice(1)
      .some((after) => !/^\d/.test(after)),
  )
}

function run(args: string[], env: Readonly<Record<string, string | undefined>>): string | null {
  const { PATH, HOME } = env
  const { status, stdout, error } = spawnSync('tailscale', args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: { PATH, HOME },
  })
  if (error && 'code' in error && error.code === 'ENOENT') return null
  return status === 0 ? stdout : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
