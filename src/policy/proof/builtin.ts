/** Builtins that affect the rest of a text: `cd`, `exit` and `read`. */

import { reason } from '../../protocol/reason/reason.js'
import type { Field, Places } from './place.js'
import { assigned, isOrdinary, type Outcome, type Scope, straight } from './scope.js'
import { refuse } from './unproven.js'

/** `ways`: the number of possible expansions of the arguments. */
export function changeFolder(
  places: Places,
  [, target, ...others]: readonly Field[],
  ways: number,
  scope: Scope,
): Outcome {
  if (target === undefined || others.length > 0 || ways > 1 || target.text.startsWith('-'))
    return refuse(reason('proof.folder'), target?.at ?? null)
  places.look(target, scope.folders)
  const folders = scope.folders.map((from) => places.folderAt(target.text, from))
  const isLinked = folders.some(
    (folder, index) => folder !== straight(scope.folders[index] ?? '', target.text),
  )
  const wasLinked = places.environment.folder !== places.folderAt('.', places.environment.folder)
  // Behind a symlink, `cd ..` and `cat ../x` use different folders.
  if (isLinked || (wasLinked && target.text.includes('..'))) refuse(reason('proof.folder-link'), target.at)
  return {
    yes: { ...scope, folders: [...new Set(folders)], startFolder: null },
    no: { ...scope, startFolder: null },
  }
}

export function exitShell([, status, ...others]: readonly Field[], at: number): Outcome {
  if (others.length > 0 || (status !== undefined && !/^[0-9]{1,3}$/.test(status.text)))
    refuse(reason('proof.argument', { program: 'exit' }), at)
  return { yes: null, no: null }
}

/** The input is unknown, so the variables become unknown. */
export function readVariables([, ...args]: readonly Field[], scope: Scope): Outcome {
  const names = args.filter(({ text }) => text !== '-r')
  const wrong = names.find(({ text }) => !isOrdinary(text))
  if (wrong !== undefined || names.length === 0)
    return refuse(reason('proof.argument', { program: 'read' }), wrong?.at ?? null)
  const state = names.reduce((before, { text }) => assigned(before, text, '\0'), scope)
  return { yes: state, no: state }
}
