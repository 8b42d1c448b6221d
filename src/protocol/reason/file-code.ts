/** Codes of reasons about a file: the cross product of effects and causes, built the same way in each language. */

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
  return Object.fromEntries(entries) as Record<FileCode, string> // Cast: the cross product contains every code.
}
