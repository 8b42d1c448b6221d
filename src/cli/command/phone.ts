/** `signalbox phone`: checks how a phone can reach this machine, and pairs it with a QR code. */

import type { Client } from '../../client/client.js'
import { homePath, readAddress } from '../../home.js'
import { withoutTrailingSlash } from '../../lib/text/trailing-slash.js'
import { HubError } from '../../protocol/error.js'
import { readTls } from '../../tls/local-authority.js'
import { type CommandOptions, readChoice } from '../command-options.js'
import { editSettings, readSettings } from '../config-edit.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'
import { hint } from '../own-command.js'
import { findTailscale, lanHosts } from '../phone/look.js'
import { qrText } from '../phone/qr.js'
import { findReach, isReachable, type Reach, type Situation } from '../phone/reach.js'
import { readRole } from './token.js'

interface PhoneOptions extends CommandOptions {
  role: string
  user: string
  url?: string
  setup?: string
}

export async function phone(options: PhoneOptions, terminal: Terminal): Promise<number> {
  const home = homePath(options.home, process.env)
  if (options.setup !== undefined) return setUp(home, options.setup, terminal)
  const client = connect(home)
  const role = readRole(options.role)
  const reach = options.url === undefined ? findReach(await look(home, client)) : givenReach(options.url)
  if (!reach.isReady) {
    if (options.json) terminal.json(reach)
    else terminal.out(waysText(reach.ways, terminal))
    return EXIT.failed
  }
  const link = await client.createLoginCode({ body: { role, user: options.user, isPairing: true } })
  // The code is behind the #: the address before it is the one that a phone can reach.
  const url = `${withoutTrailingSlash(reach.url)}/pair${new URL(link.url).hash}`
  if (options.json) {
    terminal.json({ isReady: true, url, role, user: options.user, expiresAt: link.expiresAt })
    return EXIT.done
  }
  terminal.out(qrText(url, terminal.color))
  terminal.out(`${url}\n`)
  terminal.note(
    `Pairs one device as ${role} (user ${options.user}), through ${reach.way}. Works once, within ten minutes.`,
  )
  const tls = readTls(home)
  if (tls && tls.hosts.includes(new URL(reach.url).hostname))
    terminal.note(
      `The phone must trust the certificate of this machine first: ${reach.url}/signalbox-ca.crt, SHA-256 ${tls.fingerprint}. See docs/phone.md.`,
    )
  return EXIT.done
}

async function look(home: string, client: Client): Promise<Situation> {
  const { about } = await client.about()
  const port = Number(new URL(readAddress(home)?.url ?? about.url).port)
  return {
    url: about.url,
    port,
    lan: lanHosts(),
    hasOwnCertificate: readTls(home) !== null,
    tailscale: findTailscale(port, process.env),
    hosts: [new URL(about.url).hostname],
  }
}

function givenReach(url: string): Reach {
  if (!URL.canParse(url) || !isReachable(url))
    throw new HubError(
      'request_invalid',
      `A phone cannot open ${url}. Use an https address of this machine in the network.`,
    )
  return { isReady: true, url, way: 'the given address' }
}

/** Changes settings, so that the daemon answers to the name that Tailscale serves. */
function setUp(home: string, way: string, terminal: Terminal): number {
  readChoice('--setup', way, ['tailscale'])
  const tailscale = findTailscale(0, process.env)
  if (!tailscale?.isRunning)
    throw new HubError('request_invalid', 'Tailscale is not connected. Install it, and run "tailscale up".')
  const settings = readSettings(home)
  editSettings(home, {
    hosts: withEntry(settings['hosts'], tailscale.name),
    trustedProxies: withEntry(settings['trustedProxies'], '127.0.0.1'),
  })
  terminal.note(`Set hosts and trustedProxies in config.jsonc for ${tailscale.name}. Restart the daemon.`)
  return EXIT.done
}

function withEntry(list: unknown, entry: string): string[] {
  const known = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
  return [...new Set([...known, entry])]
}

/** Our own commands as they work here. */
function ownStep(step: string): string {
  return step.startsWith('signalbox ') ? hint(`"${step}"`).slice(1, -1) : step
}

function waysText(ways: (Reach & { isReady: false })['ways'], { color }: Terminal): string {
  const parts = ways.map(({ title, text, steps }) =>
    [
      color.bold(title),
      `  ${text}`,
      ...steps.map((step, index) => `  ${index + 1}. ${color.cyan(ownStep(step))}`),
    ].join('\n'),
  )
  return `A phone cannot reach this machine yet. Ways, the easiest first:\n\n${parts.join('\n\n')}\n`
}
