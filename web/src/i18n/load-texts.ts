/** Loads the texts of a language: those of the list and the frame first, those of the other views with the first of them. */

import type { CoreTexts, ViewTexts } from './dictionary.js'
import { en } from './en.js'
import type { Language } from './language.js'
import type { ServerTexts } from './server-text.js'

export interface Texts {
  core: CoreTexts
  /** Null for English: the server's own texts are English. */
  server: ServerTexts | null
}

export const LOAD_CORE: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => ({ core: en, server: null }),
  ko: async () => {
    const [{ ko }, { reasons }, { errors }] = await Promise.all([
      import('./ko.js'),
      import('./reason/ko.js'),
      import('./error/ko.js'),
    ])
    return { core: ko, server: { reasons, errors } }
  },
  ja: async () => {
    const [{ ja }, { reasons }, { errors }] = await Promise.all([
      import('./ja.js'),
      import('./reason/ja.js'),
      import('./error/ja.js'),
    ])
    return { core: ja, server: { reasons, errors } }
  },
}

export const LOAD_VIEWS: Readonly<Record<Language, () => Promise<ViewTexts>>> = {
  en: () =>
    joined([
      import('./session/en.js'),
      import('./page/en.js'),
      import('./policy/en.js'),
      import('./change/en.js'),
      import('./notification/en.js'),
    ]),
  ko: () =>
    joined([
      import('./session/ko.js'),
      import('./page/ko.js'),
      import('./policy/ko.js'),
      import('./change/ko.js'),
      import('./notification/ko.js'),
    ]),
  ja: () =>
    joined([
      import('./session/ja.js'),
      import('./page/ja.js'),
      import('./policy/ja.js'),
      import('./change/ja.js'),
      import('./notification/ja.js'),
    ]),
}

/** The only export of each part is its texts. */
async function joined(parts: readonly Promise<Readonly<Record<string, object>>>[]): Promise<ViewTexts> {
  const loaded = await Promise.all(parts)
  // Cast: the compiler checks each part against the English one.
  return Object.assign({}, ...loaded.flatMap((part) => Object.values(part))) as ViewTexts
}
