import type { en } from './en.js'

export type Word = keyof typeof en
export type Dictionary = Readonly<Record<Word, string>>
