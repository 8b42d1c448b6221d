/** The texts of reasons about a file: every effect with every cause. */

import type { ReasonCode } from '../../../../src/protocol/index.js'

type PlainCode = Extract<ReasonCode, `file.${string}.plain`>
export type FileEffect = PlainCode extends `file.${infer Effect}.plain` ? Effect : never
type ReadCode = Extract<ReasonCode, `file.read.${string}`>
export type FileCause = ReadCode extends `file.read.${infer Cause}` ? Cause : never

export function crossFileTexts(
  effects: Readonly<Record<FileEffect, string>>,
  causes: Readonly<Record<FileCause, (effect: string) => string>>,
): Readonly<Record<`file.${FileEffect}.${FileCause}`, string>> {
  const entries = Object.entries(effects).flatMap(([effect, done]) =>
    Object.entries(causes).map(([cause, text]) => [`file.${effect}.${cause}`, text(done)] as const),
  )
  return Object.fromEntries(entries) as Record<`file.${FileEffect}.${FileCause}`, string> // All are among them.
}
