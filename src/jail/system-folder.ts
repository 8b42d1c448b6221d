/** What of the host is in the jail besides the workspace. A closed list: what is not here is not there. */

import { lstatSync, readlinkSync } from 'node:fs'

/** Programs and libraries. On most systems all but the first are links into it. */
export const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** Files that programs need to start and to show times and names; none of them is about this machine's users. */
export const SYSTEM_FILES = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/os-release',
  '/etc/debian_version',
  '/etc/mime.types',
]

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom']

/** The arguments of bubblewrap for all of it, read-only. */
export function systemArguments(): string[] {
  return [
    ...SYSTEM_FOLDERS.flatMap(folderArguments),
    '--tmpfs',
    '/dev',
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    '--symlink',
    '/proc/self/fd',
    '/dev/fd',
    '--symlink',
    '/proc/self/fd/0',
    '/dev/stdin',
    '--symlink',
    '/proc/self/fd/1',
    '/dev/stdout',
    '--symlink',
    '/proc/self/fd/2',
    '/dev/stderr',
  ]
}

function folderArguments(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
  return found?.isDirectory() ? ['--ro-bind', folder, folder] : []
}
