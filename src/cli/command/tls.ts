/** `signalbox tls`: a certificate of this machine's own authority, so that phones can use https in the network. */

import { hostname } from 'node:os'
import { homePath, makeHome } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import { createTls, readTls, removeTls, type TlsState, tlsFiles } from '../../tls/local-authority.js'
import type { CommandOptions } from '../command-options.js'
import { editSettings, readSettings } from '../config-edit.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'
import { lanHosts } from '../phone/look.js'

interface InitOptions extends CommandOptions {
  name?: string[]
  force?: boolean
}

const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|[0-9a-f:]+|[\d.]+)$/

export async function tlsInit(options: InitOptions, terminal: Terminal): Promise<number> {
  const home = homePath(options.home, process.env)
  makeHome(home)
  if (readTls(home) && !options.force)
    throw new HubError(
      'request_invalid',
      'There is a certificate already. "signalbox tls init --force" makes a new authority, which every device has to trust again.',
    )
  const hosts = (options.name ?? lanHosts()).map((host) => host.toLowerCase())
  const [first] = hosts
  if (first === undefined)
    throw new HubError('request_invalid', 'This machine has no name or address in a network. Use --name.')
  const wrong = hosts.find((host) => !HOST.test(host))
  if (wrong !== undefined) throw new HubError('request_invalid', `Invalid host name "${wrong}".`)
  const state = createTls(home, hostname(), hosts, Date.now())
  const { certificate, key } = tlsFiles(home)
  const before = readSettings(home)
  // Names that were there before, as of a proxy, stay.
  const changes = {
    host: '0.0.0.0',
    hosts: [...new Set([...namesIn(before), ...hosts])],
    tlsCert: certificate,
    tlsKey: key,
  }
  editSettings(home, changes)
  if (options.json) terminal.json({ ...state, settings: changes })
  else say(state, first, before, terminal)
  return EXIT.done
}

function say(state: TlsState, first: string, before: Record<string, unknown>, terminal: Terminal): void {
  const port = typeof before['port'] === 'number' ? before['port'] : 4747
  terminal.note(
    `Made a certificate for ${state.hosts.join(', ')}, and set host, hosts, tlsCert and tlsKey in config.jsonc.`,
  )
  terminal.note(
    `Next: restart the daemon, then open https://${first}:${port}/signalbox-ca.crt on the phone and trust it.`,
  )
  terminal.note(`Compare its SHA-256 fingerprint there: ${state.fingerprint}`)
  terminal.note(
    'The authority can sign for these names only. docs/phone.md has the steps for iPhone and Android.',
  )
}

export async function tlsRemove(options: CommandOptions, terminal: Terminal): Promise<number> {
  const home = homePath(options.home, process.env)
  const files = tlsFiles(home)
  const settings = readSettings(home)
  const own = readTls(home)?.hosts ?? []
  const existed = removeTls(home)
  const isOurs = settings['tlsCert'] === files.certificate
  const others = namesIn(settings).filter((name) => !own.includes(name))
  if (isOurs)
    editSettings(home, {
      host: undefined,
      hosts: others.length === 0 ? undefined : others,
      tlsCert: undefined,
      tlsKey: undefined,
    })
  if (options.json) terminal.json({ removed: existed })
  else if (existed)
    terminal.note(
      `Removed the certificate and its authority${isOurs ? ', and host, hosts, tlsCert and tlsKey in config.jsonc' : ''}. Restart the daemon, and remove "Signalbox on ${hostname()}" from the trusted certificates of your devices.`,
    )
  else terminal.note('There is no certificate of Signalbox.')
  return EXIT.done
}

function namesIn(settings: Record<string, unknown>): string[] {
  const { hosts } = settings
  return Array.isArray(hosts) ? hosts.filter((name) => typeof name === 'string') : []
}
