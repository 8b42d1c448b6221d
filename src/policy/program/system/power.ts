/** Programs that power off or restart the machine, or kill the init process. */

import { reason } from '../../../protocol/reason/reason.js'
import type { Field } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import type { Call, Handler } from '../handler.js'

export const POWER: Readonly<Record<string, Handler>> = {
  shutdown: always({ unless: ['-c', '-k', '--show', '/a', '-a'] }),
  reboot: always({ unless: ['-w', '--wtmp-only'] }),
  halt: always({ unless: ['-w', '--wtmp-only'] }),
  poweroff: always({ unless: ['-w', '--wtmp-only'] }),
  'pm-powersave': never,
  kexec: when(/^(?:-e|--exec)$/),
  init: when(/^[016sS]$/),
  telinit: when(/^[016sS]$/),
  systemctl,
  loginctl: when(/^(?:poweroff|reboot|halt|kexec)$/),
  rtcwake: when(/^(?:off|disk)$/),
  ipmitool: when(/^(?:off|reset|cycle|soft)$/),
  'dbus-send': when(/login1\.Manager\.(?:PowerOff|Reboot|Halt)|ConsoleKit\.Manager\.(?:Stop|Restart)/),
  gdbus: when(/login1\.Manager\.(?:PowerOff|Reboot|Halt)/),
  busctl: when(/^(?:PowerOff|Reboot|Halt)$/),
  killall5: always({ unless: [] }),
  kill,
  killall: when(/^(?:init|systemd)$/),
  pkill: when(/^\^?(?:init|systemd)\$?$/),
}

function deny({ context, name, span }: Call): void {
  context.deny('power', reason('program.power', { name }), span)
}

function never({ context, name, span }: Call) {
  context.ask('program', reason('program.unlisted', { name }), span)
  return ANYTHING
}

function always({ unless }: { unless: readonly string[] }): Handler {
  const harmless = new Set([...unless, '--help', '--version', '/?', '-h?'])
  return (call) => {
    if (!call.args.some(({ text }) => harmless.has(text))) deny(call)
    return never(call)
  }
}

function when(pattern: RegExp): Handler {
  return (call) => {
    if (call.args.some(({ text }) => pattern.test(text))) deny(call)
    return never(call)
  }
}

const STOPS = /^(?:poweroff|reboot|halt|kexec|soft-reboot|exit|rescue|emergency)$/
const TARGETS =
  /^(?:poweroff|reboot|halt|kexec|shutdown|rescue|emergency|ctrl-alt-del|runlevel[016]|exit)(?:\.target)?$/

function systemctl(call: Call) {
  const words = call.args.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
  const [verb = '', ...units] = words
  const reachesTarget =
    /^(?:isolate|start|restart|set-default)$/.test(verb) && units.some((unit) => TARGETS.test(unit))
  const isHelp = call.args.some(({ text }) => text === '--help' || text === '--version')
  if (
    !isHelp &&
    (STOPS.test(verb) ||
      reachesTarget ||
      words.some((word) => /^(?:poweroff|reboot|halt)$/.test(word) && verb === ''))
  )
    deny(call)
  return never(call)
}

/** `kill -9 -1` kills all processes, `kill -9 1` the init process. Signal 0 only checks that a process exists. */
function kill(call: Call) {
  const targets = withoutSignal(call.args)
  if (targets.some((text) => text === '1' || text === '-1')) deny(call)
  return never(call)
}

function withoutSignal(args: readonly Field[]): string[] {
  const words = args.map(({ text }) => text)
  const [first = '', second] = words
  if (first === '-l' || first === '-L' || first === '--list' || first === '-0') return []
  if (first === '-s' || first === '-n' || first === '--signal')
    return second === '0' ? [] : after(words.slice(2))
  if (/^-(?:\d+|[A-Z][A-Z0-9+]*|SIG\w+)$/i.test(first)) return after(words.slice(1))
  return after(words.filter((word) => !/^--(?:signal|queue|timeout)=/.test(word)))
}

function after(words: readonly string[]): string[] {
  return words[0] === '--' ? words.slice(1) : [...words]
}
