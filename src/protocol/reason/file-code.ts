/** The codes of reasons about a file: every effect with every cause, in each language built in the same way. */

const EFFECTS = [
  'look',
  'read',
  'write',
  'delete',
  'delete-tree',
  'move',
  'rights',
  'copy',
  'send',
  'make',
] as const
const CAUSES = ['plain', 'protected', 'system', 'control', 'outside', 'unknown', 'loop', 'long'] as const

export type FileEffect = (typeof EFFECTS)[number]
export type FileCause = (typeof CAUSES)[number]
type FileCode = `file.${FileEffect}.${FileCause}`

export function crossFileCodes(
  text: (effect: FileEffect, cause: FileCause) => string,
): Readonly<Record<FileCode, string>> {
  const entries = EFFECTS.flatMap((effect) =>
    CAUSES.map((cause) => [`file.${effect}.${cause}`, text(effect, cause)] as const),
  )
  return Object.fromEntries(entries) as Record<FileCode, string> // Every code is among the entries.
}
