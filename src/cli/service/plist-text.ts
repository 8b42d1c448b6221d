/** The property list for launchd. It has no environment file, so that a shell reads it, in the syntax that systemd and sh share. */

import { join } from 'node:path'
import { CHECKSUM_LINE, sealText, specLine } from './service-mark.js'
import type { ServiceSpec } from './service-spec.js'

/** The first argument is the environment file, the others are the command. */
const RUN = 'if [ -f "$1" ]; then set -a; . "$1"; set +a; fi; shift; exec "$@"'

export function launchCommand({ environmentFile, node, program, home }: ServiceSpec): string[] {
  return [
    '/bin/sh',
    '-c',
    RUN,
    'signalbox',
    environmentFile,
    node,
    program,
    'start',
    '--json',
    '--home',
    home,
  ]
}

export function serviceLogOf(home: string): string {
  return join(home, 'logs', 'service.log')
}

export function plistText(label: string, spec: ServiceSpec): string {
  const log = serviceLogOf(spec.home)
  const umask = 0o077
  return sealText(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by "signalbox service install", which replaces this file. -->
<!-- ${specLine(spec)} -->
<!-- ${CHECKSUM_LINE} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(label)}
  <key>ProgramArguments</key>
  <array>
${launchCommand(spec)
  .map((word) => `    ${string(word)}`)
  .join('\n')}
  </array>
  <key>WorkingDirectory</key>
  ${string(spec.home)}
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    ${string(spec.path)}
  </dict>
  <key>Umask</key>
  <integer>${umask}</integer>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>20</integer>
  <key>StandardOutPath</key>
  ${string(log)}
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`)
}

function string(text: string): string {
  return `<string>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`
}
