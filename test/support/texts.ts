/** All texts of the dashboard in one language, whenever the page loads them. */

import type { Dictionary } from '../../web/src/i18n/dictionary.js'
import { LOAD_CORE, LOAD_VIEWS } from '../../web/src/i18n/load-texts.js'

export async function textsOf(language: 'en' | 'ko' | 'ja'): Promise<Dictionary> {
  return { ...(await LOAD_CORE[language]()).core, ...(await LOAD_VIEWS[language]()) }
}
