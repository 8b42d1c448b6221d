/** How a phone can reach this machine, and the next step towards it. Pure. */

export interface Situation {
  /** Of the running daemon, as it prints it. */
  url: string
  port: number
  /** Names and addresses of this machine in its network. */
  lan: readonly string[]
  hasOwnCertificate: boolean
  /** Null: it is not installed. */
  tailscale: Tailscale | null
  /** Names of the daemon, as it runs now. */
  hosts: readonly string[]
}

export interface Tailscale {
  isRunning: boolean
  /** `box.tail1234.ts.net`. */
  name: string
  /** Whether it serves this port with https. */
  isServing: boolean
}

export interface Way {
  title: string
  /** Why it is, or is not, the way to go. */
  text: string
  /** Commands, in order. Empty: nothing is left to do. */
  steps: readonly string[]
}

export type Reach =
  /** A phone can open this address. */
  { isReady: true; url: string; way: string } | { isReady: false; ways: readonly Way[] }

export function findReach(situation: Situation): Reach {
  const { url, tailscale, hosts } = situation
  if (isReachable(url)) return { isReady: true, url, way: 'the address of the daemon' }
  if (tailscale?.isRunning && tailscale.isServing && hosts.includes(tailscale.name))
    return { isReady: true, url: `https://${tailscale.name}`, way: 'Tailscale' }
  return { isReady: false, ways: [...tailscaleWays(situation), lanWay(situation), ...otherWays(situation)] }
}

/** https, and a name or address that is not this machine's own. */
export function isReachable(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && !/^(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
}

function tailscaleWays({ tailscale, port, hosts }: Situation): Way[] {
  if (!tailscale) return []
  if (!tailscale.isRunning)
    return [
      {
        title: 'Tailscale',
        text: 'Tailscale is installed but not connected. It reaches this machine from anywhere, without opening a port.',
        steps: ['tailscale up', 'signalbox phone'],
      },
    ]
  const isNamed = hosts.includes(tailscale.name)
  return [
    {
      title: 'Tailscale',
      text: `Tailscale is connected. Your phone needs the Tailscale app, and reaches ${tailscale.name} from anywhere.`,
      steps: [
        ...(isNamed ? [] : ['signalbox phone --setup tailscale', 'restart the daemon']),
        ...(tailscale.isServing ? [] : [`tailscale serve --bg ${port}`]),
        'signalbox phone',
      ],
    },
  ]
}

function lanWay({ hasOwnCertificate, lan }: Situation): Way {
  const where =
    lan.length === 0 ? 'This machine has no address in a network now.' : `In your network: ${lan.join(', ')}.`
  return {
    title: 'Your network',
    text: `${where} A certificate of your own makes https, installing and push messages work there.`,
    steps: [...(hasOwnCertificate ? [] : ['signalbox tls init']), 'restart the daemon', 'signalbox phone'],
  }
}

function otherWays({ port }: Situation): Way[] {
  return [
    {
      title: 'A proxy or tunnel of your own',
      text: `Caddy, Cloudflare Tunnel or another one that leads to port ${port} with https. See docs/phone.md.`,
      steps: [],
    },
  ]
}
