/** Which of our tools an agent gets, where a list of names says which tools it has. */

import { agentNameOf } from '../protocol/tool.js'

export interface ChosenTools {
  /** Those of Claude Code; undefined for all of them. */
  builtIn: string[] | undefined
  ours: string[]
}

/** Without a list it has all. In one, a tool of ours goes by its own name or by the one that agents use. */
export function chooseTools(names: readonly string[] | undefined, known: readonly string[]): ChosenTools {
  if (names === undefined) return { builtIn: undefined, ours: [...known] }
  const isOurs = (name: string, own: string) => name === own || name === agentNameOf(own)
  return {
    builtIn: names.filter((name) => !known.some((own) => isOurs(name, own))),
    ours: known.filter((own) => names.some((name) => isOurs(name, own))),
  }
}
