/** The command that prints a new link to the dashboard of a home. */

import { homePath } from '../home.js'
import { ownCommand, quoted } from './own-command.js'

/** With `--home` unless the home is the one that commands use without it, as in a demo. */
export function openCommand(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  command = ownCommand(),
): string {
  if (home === homePath(undefined, env)) return `${command} open`
  return `${command} open --home ${quoted(home)}`
}
