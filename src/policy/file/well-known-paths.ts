/** Paths with a meaning on every machine: whole trees, system files, devices, and files that name programs to run. */

import { isInside } from './path.js'

/** The root, a name one level below the root, or the home of a user. */
export function isTopLevelTree(path: string): boolean {
  return /^\/[^/]*$/.test(path) || HOMES.test(path)
}

const HOMES = /^\/(?:home|Users|users|export\/home|var\/home)\/[^/]+$|^\/var\/root$/

/** Names that a glob may match to reach a top-level tree indirectly. */
export const TOP_LEVEL_NAMES = (
  '/bin /boot /dev /etc /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var ' +
  '/Applications /Library /System /Users /private'
).split(' ')

/** Files of accounts, of the boot process and of system programs. */
export function isSystemFile(path: string): boolean {
  return (
    ACCOUNT_FILES.test(path) || SYSTEM_FOLDERS.some((folder) => path !== folder && isInside(folder, path))
  )
}

const ACCOUNT_FILES =
  /^\/(?:private\/)?etc\/(?:(?:passwd|shadow|group|gshadow|sudoers)(?:[-.~]|$)|sudoers\.d\/)/
const SYSTEM_FOLDERS = [
  '/bin',
  '/sbin',
  '/boot',
  '/efi',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/System',
]

/** A disk, a partition, or the memory of the machine. */
export function isDisk(path: string): boolean {
  return DISKS.test(path)
}

const DISKS =
  /^\/dev\/(?:(?:sd|hd|vd|xvd|ub)[a-z]+\d*|nvme\d+(?:n\d+)?(?:p\d+)?|mmcblk\d+(?:p\d+|boot\d+|rpmb)?|r?disk\d+(?:s\d+)*|(?:loop|md|dm-|sr|fd|ram|zram|nbd|pmem|st|nst|sg|drbd|bcache|rbd)\d\w*|(?:mapper|disk|md|block|vg\w*|ubuntu-vg|zvol)\/.+|k?mem|port|mtd(?:block)?\d+)$|^[/\\]{2}\.[/\\]physicaldrive\d/i

/** Writing here stops or restarts the machine. */
export function isPowerSwitch(path: string): boolean {
  return path === '/proc/sysrq-trigger' || path === '/sys/power/state' || path === '/dev/watchdog'
}

/** Facts about the machine, without anything of its users or its network. The read-only jail has the same files. */
export const MACHINE_FACTS: readonly string[] = [
  ...[
    'os-release',
    'lsb-release',
    'system-release',
    'redhat-release',
    'fedora-release',
    'centos-release',
  ].map((name) => `/etc/${name}`),
  ...['alpine-release', 'arch-release', 'debian_version', 'issue', 'hostname', 'timezone'].map(
    (name) => `/etc/${name}`,
  ),
  '/usr/lib/os-release',
  ...['cpuinfo', 'meminfo', 'loadavg', 'uptime', 'version', 'filesystems'].map((name) => `/proc/${name}`),
  ...['kernel/osrelease', 'kernel/ostype', 'fs/file-max'].map((name) => `/proc/sys/${name}`),
  ...['max_user_watches', 'max_user_instances'].map((name) => `/proc/sys/fs/inotify/${name}`),
]

/** Folders of programs, which the read-only jail shows as they are. */
export const PROGRAM_FOLDERS: readonly string[] = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin']

/** The standard streams and `/dev/null`. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/.test(path)
}

/** `/dev/tcp/HOST/PORT` is not a file: the shell opens a connection. */
export function isSocket(path: string): boolean {
  return /^\/dev\/(?:tcp|udp)\//.test(path)
}

/** Settings of the agent, of git, of editors and of shells, which name programs that run later. */
export function isControlFile(path: string): boolean {
  return CONTROL_FOLDERS.test(path) || CONTROL_FILES.test(path)
}

/** For the settings and hooks of a repository: the folder that git would use as a repository if it had a `HEAD`. */
export function repositoryAround(path: string): string | null {
  return /^(.*)\/(?:config(?:\.worktree)?|commondir|hooks\/[^/]+)$/i.exec(path)?.[1] ?? null
}

/** The sample workspace is excepted: it lies in our own folder, but is a workspace like any other. */
const CONTROL_FOLDERS =
  /\/(?:\.claude|\.git|\.vscode|\.idea|\.husky|\.devcontainer|\.cursor|\.signalbox(?!\/sample-workspace\/)|\.config\/(?:autostart|systemd|fish|git)|LaunchAgents|LaunchDaemons|cron\.(?:d|daily|hourly|weekly|monthly)|profile\.d)(?:\/|$)/i
/** `HEAD` is listed because git does not treat a folder without one as a repository. */
const CONTROL_FILES =
  /\/(?:HEAD|CLAUDE(?:\.local)?\.md|\.mcp\.json|\.signalbox\.jsonc|\.claude\.json|\.gitconfig|\.gitmodules|\.(?:bash|zsh|k?sh|csh|tcsh)(?:rc|env)|\.(?:bash_|z)?(?:profile|login|logout)|\.bash_aliases|\.inputrc|\.xinitrc|\.xprofile|\.npmrc|\.vimrc|\.exrc|\.tmux\.conf|crontab|profile|bash\.bashrc|ld\.so\.preload)$/i
