/** Entries of the list beside a message: files, commands, skills and saved prompts. */

import type { FileMatches, OfferedCommand, SavedPrompt } from '../../../../src/protocol/index.js'
import { matchScore } from '../../palette/match.js'
import { mentionOf } from './token.js'

export interface Suggestion {
  id: string
  kind: 'file' | 'folder' | 'command' | 'skill' | 'prompt'
  name: string
  /** Behind the name, in the same line: arguments of a command, the folder of a file. */
  hint: string
  /** The line below the name. */
  description: string
  /** Takes the place of the typed word. */
  insert: string
  /** Whether a space follows it. */
  hasSpace: boolean
}

const MAX_COMMANDS = 50

/** The best match first. Before anything is typed: prompts of users, then the order of the CLI. */
export function commandSuggestions(
  commands: readonly OfferedCommand[],
  prompts: readonly SavedPrompt[],
  query: string,
): Suggestion[] {
  const all: Suggestion[] = [
    ...prompts.map(
      (prompt): Suggestion => ({
        id: `prompt:${prompt.name}`,
        kind: 'prompt',
        name: `/${prompt.name}`,
        hint: '',
        description: prompt.text.trim().split('\n')[0]?.slice(0, 200) ?? '',
        insert: prompt.text,
        hasSpace: false,
      }),
    ),
    ...commands.map(
      (command): Suggestion => ({
        id: `command:${command.name}`,
        kind: command.kind,
        name: `/${command.name}`,
        hint: command.argumentHint,
        description: command.description,
        insert: `/${command.name}`,
        hasSpace: true,
      }),
    ),
  ]
  const scored = all.flatMap((suggestion) => {
    // A word of the description also finds a command, behind all that have it in their name.
    const isDescribed =
      query.length >= MIN_DESCRIBED && suggestion.description.toLowerCase().includes(query.toLowerCase())
    const score = matchScore(suggestion.name.slice(1), query) ?? (isDescribed ? 0 : null)
    return score === null ? [] : [{ suggestion, score }]
  })
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_COMMANDS)
    .map(({ suggestion }) => suggestion)
}

/** Fewer letters are in nearly every description. */
const MIN_DESCRIBED = 3

/** A name with a double quote cannot be mentioned, and what is typed whole needs no completion. */
export function fileSuggestions({ files }: Pick<FileMatches, 'files'>, query: string): Suggestion[] {
  return files
    .filter(({ path }) => !path.includes('"') && path !== query)
    .map(({ path, kind }): Suggestion => {
      const cut = path.lastIndexOf('/', path.length - 2) + 1
      return {
        id: `file:${path}`,
        kind,
        name: path.slice(cut),
        hint: path.slice(0, cut),
        description: '',
        insert: mentionOf(path),
        // A folder is completed further.
        hasSpace: kind === 'file',
      }
    })
}
