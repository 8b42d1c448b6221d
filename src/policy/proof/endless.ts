/**
 * Output without an end in front of a program that keeps its input in temporary files: such a pipe would fill the disk until
 * the command times out. Too much is taken for endless: the pipe then runs in the jail.
 */

import type { Field } from './place.js'

/** They keep input that is too large for the memory, or cannot be read backwards, in files below /tmp. */
export const SPILLING: ReadonlySet<string> = new Set(['sort', 'tac'])

/** `for (key in list)` ends; any other loop of awk may not. */
function isAwkLoop(text: string): boolean {
  const loops = text.match(/\b(?:for|while)\b/g) ?? []
  const listings = text.match(/\bfor ?\( ?\w+ in \w+ ?\)/g) ?? []
  return loops.length > listings.length
}

/** A command of sed that is a label, without which no jump goes back, or `D`, which starts again without reading. */
function mayRepeat(command: string): boolean {
  const text = command.trim()
  return text.startsWith(':') || text.endsWith('D')
}

/** Whether an argument can make the program print more than a multiple of what it reads. */
const ENDLESS: Readonly<Record<string, (text: string) => boolean>> = {
  awk: isAwkLoop,
  gawk: isAwkLoop,
  mawk: isAwkLoop,
  jq: (text) => /\b(?:range|repeat|recurse|until|while)\b/.test(text),
  sed: (text) => text.split(/[;{}\n#]/).some(mayRepeat),
  seq: (text) => text.length > 6,
  shuf: (text) => /^-[a-z]*r|^--r/.test(text),
}

export function mayRunForever(program: string, args: readonly Field[]): boolean {
  const isEndless = Object.hasOwn(ENDLESS, program) ? ENDLESS[program] : undefined
  return isEndless !== undefined && args.some(({ text }) => isEndless(text))
}
