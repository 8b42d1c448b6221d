/**
 * The attempts, as scripts of bash that run inside the jail and say of each how it ended. Where the jail does not hold they
 * run on the machine itself, so they must be harmless there: the first script only looks, and the second, which runs only
 * if the first has found nothing, touches nothing but the folder, the sockets and the process that were made for it.
 */

import type { ProbeStage } from './probe.js'
import { shellWord } from './shell-word.js'

export const NAMESPACES = ['user', 'mnt', 'pid', 'net', 'ipc', 'uts'] as const

/** Each succeeds (exit code 0) only if the jail does not hold. */
type Probes = Record<string, string>

function looks({ workspace, outside, canary, socket, fifo, pid }: ProbeStage): Probes {
  const [ws, out] = [word(workspace), word(outside)]
  const writable = (...paths: string[]) => paths.map((path) => `[ -w ${path} ]`).join(' || ')
  return {
    'write workspace': writable(ws, `${ws}/kept`),
    'write system': writable('/', '/usr', '/usr/bin', '/etc', '/lib', '/dev'),
    'write proc': writable(
      '/proc/sys/kernel/core_pattern',
      '/proc/sysrq-trigger',
      '/proc/self/oom_score_adj',
    ),
    'read outside': `cat ${out}/kept`,
    'read protected': `cat ${ws}/.env`,
    'read environment': `env | grep -q ${canary} || cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q ${canary}`,
    'read shadow': '[ -e /etc/shadow ]',
    'read passwd': 'grep -q daemon /etc/passwd',
    'use descriptor': 'cat <&7 || cat <&8 || echo >&10',
    'see socket': `[ -S ${word(socket)} ]`,
    'see fifo': `[ -p ${word(fifo)} ]`,
    'see run': '[ -e /run ] || [ -e /var/run ]',
    'see projects': '[ -e /usr/include ] || [ -e /usr/local/etc ] || [ -e /usr/share/doc ]',
    'see sys': '[ -e /sys/kernel ] || [ -e /sys/fs ]',
    'see disks': 'ls /dev/[shv]d[a-z]* || ls /dev/nvme* || ls /dev/mem || ls /dev/kmsg || ls /dev/tty',
    'see processes': `[ -e /proc/${pid} ] && grep -qa sleep /proc/${pid}/cmdline`,
    'follow root': 'ls -d /proc/[0-9]*/r?ot/var',
    'have capabilities': `grep -qE '^Cap(Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status`,
    'gain privileges': `grep -qE '^NoNewPrivs:.*0' /proc/self/status`,
    'skip filter': `grep -qE '^Seccomp:.*[01]' /proc/self/status`,
    'be root': '[ "$(id -u)" = 0 ]',
    'have no limits': ['c', 't', 'd', 'v', 'f', 'u']
      .map((letter) => `[ "$(ulimit -H${letter})" = unlimited ]`)
      .join(' || '),
  }
}

function acts({ workspace, outside, port, fifo, pid }: ProbeStage): Probes {
  const [ws, out] = [word(workspace), word(outside)]
  return {
    'make file': `echo x > ${ws}/new`,
    'change file': `echo x >> ${ws}/kept`,
    'delete file': `rm -f ${ws}/kept`,
    'make link': `ln -s kept ${ws}/link`,
    'change rights': `chmod 777 ${ws}/kept`,
    'change device': 'chmod 666 /dev/null || touch -c -r /dev/null /dev/zero',
    'change input': 'chmod 666 /dev/stdin',
    'take lock': `flock -n ${ws}/kept true`,
    'write outside': `echo x > ${out}/kept`,
    'connect tcp': `exec 5<>/dev/tcp/127.0.0.1/${port}`,
    'write fifo': `timeout 1 bash -c 'echo x > "$0"' ${word(fifo)}`,
    'signal process': `kill -9 ${pid}`,
    'remount workspace': `mount -o remount,rw,bind ${ws}`,
    'mount folder': `mount -t tmpfs tmpfs ${ws} && umount ${ws}`,
    'unmount protected': `umount ${ws}/.env`,
    'new namespace': 'unshare -U true || unshare -m true',
  }
}

export function lookScript(stage: ProbeStage): string {
  const seen = NAMESPACES.map((name) => `echo "namespace ${name} $(readlink /proc/self/ns/${name})"`)
  return [...attempts(looks(stage)), ...seen, 'env; cat .env 2>/dev/null; true'].join('\n')
}

export function actScript(stage: ProbeStage): string {
  return attempts(acts(stage)).join('\n')
}

function attempts(probes: Probes): string[] {
  return Object.entries(probes).map(
    ([name, attempt]) =>
      `if (${attempt}) >/dev/null 2>&1; then echo 'escaped ${name}'; else echo 'held ${name}'; fi`,
  )
}

function word(text: string): string {
  return shellWord(text) ?? "''"
}

const NOWHERE: ProbeStage = {
  workspace: '/',
  outside: '/',
  canary: '',
  port: 0,
  socket: '/',
  fifo: '/',
  pid: 0,
}
export const LOOKS = Object.keys(looks(NOWHERE))
export const ACTS = Object.keys(acts(NOWHERE))
