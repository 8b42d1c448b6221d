/**
 * The systemd user unit. docs/service.md has the effect of each directive on the daemon, its sessions and the read-only jail. A
 * directive that needs a mount namespace or forbids user namespaces would break bubblewrap.
 */

import { CHECKSUM_LINE, sealText, specLine } from './service-mark.js'
import type { ServiceSpec } from './service-spec.js'

/** Settings that are not valid fail again at every start, until the user corrects them. */
const SETTINGS_INVALID = 2

export function unitText(spec: ServiceSpec): string {
  const { node, program, home, environmentFile, path, hasRestartSteps } = spec
  return sealText(`# Written by "signalbox service install". To change it, use "systemctl --user edit": this file is replaced.
# ${specLine(spec)}
# ${CHECKSUM_LINE}

[Unit]
Description=Signalbox, control plane for Claude Code agents
${hasRestartSteps ? 'StartLimitIntervalSec=0' : 'StartLimitIntervalSec=600\nStartLimitBurst=20'}

[Service]
Type=exec
ExecStart=${executableWord(node)} ${[program, 'start', '--json', '--home', home].map(argumentWord).join(' ')}
WorkingDirectory=${pathValue(home)}
Environment=${assignmentWord(`PATH=${path}`)}
EnvironmentFile=-${globValue(environmentFile)}
UMask=0077
Restart=on-failure
${hasRestartSteps ? 'RestartSec=2\nRestartSteps=6\nRestartMaxDelaySec=300' : 'RestartSec=5'}
RestartPreventExitStatus=${SETTINGS_INVALID}
KillMode=mixed
TimeoutStopSec=20
OOMPolicy=continue
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=default.target
`)
}

/** Why systemd could not read a path, or null. Everything else is escaped. */
export function problemOfPath(path: string): string | null {
  // oxlint-disable-next-line no-control-regex -- they are what it looks for.
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it contains control characters'
  // Trimmed from values that cannot be quoted.
  if (/^\s|\s$/.test(path)) return 'it starts or ends with a space'
  return null
}

/** systemd refuses these in the path of a program, quoted or not; in its arguments it does not. */
export function problemOfExecutable(path: string): string | null {
  return /["'\\]/.test(path) ? 'it contains quotes or backslashes' : problemOfPath(path)
}

/** Specifiers are replaced in nearly every value. */
function withoutSpecifiers(text: string): string {
  return text.replaceAll('%', '%%')
}

/** In double quotes, where a backslash escapes. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** Variables are not replaced in the path of the program: a dollar sign stands for itself. */
function executableWord(path: string): string {
  return quoted(withoutSpecifiers(path))
}

function argumentWord(text: string): string {
  return quoted(withoutSpecifiers(text).replaceAll('$', '$$$$'))
}

function assignmentWord(text: string): string {
  return quoted(withoutSpecifiers(text))
}

/** A value that is a path to the end of its line, without quotes. A backslash at the end would continue the line. */
function pathValue(path: string): string {
  return withoutSpecifiers(path.endsWith('\\') ? `${path}/` : path)
}

/** The path of an environment file is a glob. */
function globValue(path: string): string {
  return pathValue(path.replaceAll(/[*?[\]\\]/g, String.raw`\$&`))
}
