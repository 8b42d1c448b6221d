/** Notifications of the desktop on which the daemon runs: notify-send on Linux, osascript on macOS. */

import { pick } from './command.js'
import type { ChannelPort, OutgoingMessage } from './port.js'
import { DeliveryError } from './port.js'
import { runProgram } from './program.js'

export interface DesktopDeps {
  platform: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

const TIMEOUT_MS = 10_000
/** Variables by which the two programs find the session of the user. */
const VARIABLES = [
  'PATH',
  'HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
]

/** The text is an argument of the script and never part of it. */
const SCRIPT = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run']

export function createDesktop({ platform, env, cwd }: DesktopDeps): ChannelPort {
  const run = (argv: [string, ...string[]], signal: AbortSignal) =>
    runProgram({ argv, env: pick(env, VARIABLES), cwd, timeoutMs: TIMEOUT_MS, signal })
  return {
    async send(message, signal) {
      const out = await run(argumentsFor(message, platform), signal)
      return { receipt: /^\d+$/.test(out.trim()) ? out.trim() : null }
    },
    async withdraw({ receipt }, signal) {
      if (platform !== 'linux' || receipt === null) return
      const close = 'org.freedesktop.Notifications.CloseNotification'
      const path = '/org/freedesktop/Notifications'
      const to = [
        '--dest',
        'org.freedesktop.Notifications',
        '--object-path',
        path,
        '--method',
        close,
        receipt,
      ]
      await run(['gdbus', 'call', '--session', ...to], signal)
    },
    isPrivate: async () => true,
  }
}

function argumentsFor({ title, body, severity }: OutgoingMessage, platform: string): [string, ...string[]] {
  if (platform === 'darwin')
    return ['osascript', ...SCRIPT.flatMap((line) => ['-e', line]), '--', title, body]
  if (platform !== 'linux')
    throw new DeliveryError(
      'never',
      `Desktop notifications are not supported on ${platform}. Remove the channel.`,
    )
  const urgency = severity === 'destructive' ? 'critical' : 'normal'
  return [
    'notify-send',
    '--app-name=Signalbox',
    `--urgency=${urgency}`,
    '--print-id',
    '--',
    title,
    plainMarkup(body),
  ]
}

/** Some desktops read markup in the body. */
function plainMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
