import type { en } from './en.js'

export type TextKey = keyof typeof en
export type Dictionary = Readonly<Record<TextKey, string>>
