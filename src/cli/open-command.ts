/** The command that prints a new link to the dashboard of a home. */

import { homePath } from '../home.js'

/** With `--home` unless the home is the one that commands use without it, as in a demo. */
export function openCommand(home: string, env: Readonly<Record<string, string | undefined>>): string {
  if (home === homePath(undefined, env)) return 'signalbox open'
  const path = /^[\w./@%+=:,-]+$/.test(home) ? home : `'${home.replaceAll("'", `'\\''`)}'`
  return `signalbox open --home ${path}`
}
