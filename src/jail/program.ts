/** Programs whose output would be another one in the jail. */

import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { SYSTEM_FOLDERS } from './system-folder.js'

/** They tell about processes, network, users, mounts or variables of the machine, which the jail hides. */
const ABOUT_THE_HOST = new Set(
  `ps pgrep pidof pstree top htop ss netstat lsof fuser ip ifconfig route arp df mount findmnt lsblk blkid who w users
  last lastlog id groups getent printenv env export set declare typeset ulimit systemctl journalctl dmesg docker podman
  kubectl tty lsmod loginctl crontab nvidia-smi`.split(/\s+/),
)
/** Functions of the CLI's shell; the jail has them as well. */
const OF_THE_CLI = new Set(['find', 'grep', 'rg'])

/**
 * Why these programs cannot run in the jail as they would outside; null if they can. What is proven harmless runs outside
 * then; what is not runs in the jail all the same if only its view of the host differs.
 */
export function programObstacle(
  programs: readonly string[],
  path: string | undefined,
  isProven: boolean,
): string | null {
  const telling = isProven ? programs.find((name) => ABOUT_THE_HOST.has(name)) : undefined
  if (telling !== undefined) return `${telling} tells about the machine, which the jail hides.`
  const missing = programs.find((name) => !OF_THE_CLI.has(name) && isElsewhere(name, path))
  return missing === undefined ? null : `${missing} is not among the programs of the jail.`
}

/** Whether the shell would find the program in a folder that the jail does not have. */
function isElsewhere(name: string, path: string | undefined): boolean {
  if (!/^[\w.+-]+$/.test(name)) return false
  const folder = (path ?? '').split(':').find((candidate) => existsSync(join(candidate, name)))
  if (folder === undefined) return false
  try {
    const real = realpathSync(join(folder, name))
    return !SYSTEM_FOLDERS.some((system) => real.startsWith(`${system}/`))
  } catch {
    return false
  }
}
