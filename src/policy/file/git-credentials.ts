/** Passwords and tokens in the configuration files of git, such as the URL of a remote. */

import { statSync } from 'node:fs'
import { readFile } from '../git/pack.js'

/** The names of such files, in a folder that also has a `HEAD`. */
export const GIT_CONFIGS: readonly string[] = ['config', 'config.worktree']

const MAX_BYTES = 256 * 1024

/** In a URL of HTTP even a user name alone is a token as a rule; that of SSH is not. */
const CREDENTIALS =
  /https?:\/\/[^/\s@"]+@|:\/\/[^/\s@:"]*:[^/\s@"]+@|extraheader|authorization|passw|token|secret|api_?key/i

export function hasCredentials(text: string): boolean {
  return CREDENTIALS.test(text)
}

/** Null if there is no such file. Throws if it cannot be read. */
export function credentialsIn(path: string): boolean | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null
  return hasCredentials(readFile(path, MAX_BYTES).toString('utf8'))
}

export function isGitConfig(name: string, siblings: readonly string[]): boolean {
  return GIT_CONFIGS.includes(name) && siblings.includes('HEAD')
}
