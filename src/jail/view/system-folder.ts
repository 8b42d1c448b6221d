/** Folders of the host that are visible in the jail besides the workspace. A whitelist: everything else is absent. */

import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { MACHINE_FACTS } from '../../policy/file/well-known-paths.js'

/** Folders of the root that are links into `/usr` on most systems. */
const ROOT_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/**
 * Programs, libraries and the data that they need to start and to show text, times and terminals. Never `/usr` as a whole:
 * `/usr/src`, `/usr/share/nginx` or `/usr/local/etc` are where users put their own projects and settings.
 */
const USR_FOLDERS = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec'].map((name) => `/usr/${name}`),
  ...['bin', 'sbin', 'lib', 'libexec'].map((name) => `/usr/local/${name}`),
  ...['locale', 'misc', 'perl', 'perl5', 'terminfo', 'zoneinfo'].map((name) => `/usr/share/${name}`),
]

/** Where programs of the system lie, as real paths. */
export const SYSTEM_FOLDERS = [...ROOT_FOLDERS, ...USR_FOLDERS, '/nix/store']

/** Folders of the jail that are not the host's: no workspace can lie in them, and no home is made there. */
export const OWN_FOLDERS = ['/etc', '/proc', '/sys', '/dev', '/run', '/tmp']

/** Files that programs need to start and to show times and names; none of them is about this machine's users. */
export const SYSTEM_FILES = [
  ...MACHINE_FACTS.filter((path) => path.startsWith('/etc/')),
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/localtime',
  '/etc/mime.types',
]

const DEVICES = ['null', 'zero', 'urandom']

/** Whether the path is one of the system's folders or lies in one. */
export function isInSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

/** Those that are there, with something in them: each costs time. */
export function presentFolders(): string[] {
  return SYSTEM_FOLDERS.filter((folder) => {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    return found?.isSymbolicLink() || (found?.isDirectory() && readdirSync(folder).length > 0)
  })
}

/** The arguments of bubblewrap for all of it, read-only. */
export function systemArguments(folders: readonly string[]): string[] {
  return [
    ...folders.flatMap(folderArguments),
    '--tmpfs',
    '/dev',
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    '--symlink',
    'urandom',
    '/dev/random',
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
  return lstatSync(folder).isSymbolicLink()
    ? ['--symlink', readlinkSync(folder), folder]
    : ['--ro-bind', folder, folder]
}
