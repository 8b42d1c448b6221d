/**
 * Programs that the shell would take from the workspace, because a folder of it is in `PATH` (`node_modules/.bin`, `bin`,
 * or `.`). The policy knows `cat` as the one of the system; one of the workspace is code of the project.
 */

import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Bash runs these itself, whatever `PATH` says. */
const BUILTINS = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec
  exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
  readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`.split(
    /\s+/,
  ),
)

/** The first that is in the workspace, as a path; null if none is. `commands`: the words of each that is run. */
export function programInWorkspace(
  commands: readonly (readonly string[])[],
  path: string | undefined,
  workspace: string,
): string | null {
  const folders = (path ?? '').split(':').map((folder) => resolve(workspace, folder))
  const isInside = (file: string) =>
    [workspace, realOf(workspace)].some((root) => file.startsWith(`${root}/`))
  for (const [name = ''] of commands) {
    if (BUILTINS.has(name) || !/^[\w.+-]+$/.test(name)) continue
    const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
    if (found !== undefined && (isInside(found) || isInside(realOf(found)))) return found
  }
  return null
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
