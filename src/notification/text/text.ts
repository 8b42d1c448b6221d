/** Texts of notifications in the language of the recipient. */

import type { Language } from '../../protocol/notification/user.js'
import { en, type Texts } from './en.js'
import { ja } from './ja.js'
import { ko } from './ko.js'

const TEXTS: Readonly<Record<Language, Texts>> = { en, ko, ja }

export function say(
  language: Language,
  key: keyof Texts,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return TEXTS[language][key].replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? String(values[name]) : whole,
  )
}
