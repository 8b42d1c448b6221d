import type { changeTexts } from './change/en.js'
import type { en } from './en.js'
import type { notificationTexts } from './notification/en.js'
import type { pageTexts } from './page/en.js'
import type { policyTexts } from './policy/en.js'
import type { sessionTexts } from './session/en.js'

/** Texts of the list and the frame of the page: needed at once. */
export type CoreTexts = Readonly<Record<keyof typeof en, string>>
/** Texts that are loaded with the first view that uses them. */
export type ViewTexts = Readonly<
  Record<
    | keyof typeof sessionTexts
    | keyof typeof pageTexts
    | keyof typeof policyTexts
    | keyof typeof changeTexts
    | keyof typeof notificationTexts,
    string
  >
>

export type Dictionary = CoreTexts & ViewTexts
export type TextKey = keyof Dictionary
