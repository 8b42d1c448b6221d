/**
 * Normalises the spelling of a name: spellings that some system, tool or reader treats as the same name become equal.
 */

import { spend } from '../../lib/step-budget.js'
import { normalizeText } from '../../lib/text/normalize.js'
import { isTooLong, withoutEnd } from './path.js'

const PLAIN = /^[\w./~-]*$/
const SLASHES = /[\\\u2044\u2215\u29f8\u2571]/g
/** Homoglyphs: letters of other scripts and the Latin letters they are mistaken for. */
const LETTERS = 'аеорсухѕіјԁոνѵкԛԝɡıҺһΑΒΕΗΙΚΜΝΟΡΤΧΥΖαοοιАВЕНКМОРСТХ'
const LATIN = 'aeopcyxsijdnvvkqwgihhABEHIKMNOPTXYZaooiABEHKMOPCTX'
const LOOK_ALIKES = new RegExp(`[${LETTERS}]`, 'g')
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/gu

/**
 * Undoes `file:` addresses, percent codes, compatibility forms, invisible characters, stream names and trailing dots or
 * spaces. Keeps the case, because words in a name may begin with a capital. One character may become eighteen, so the
 * result can be too long for a path.
 */
export function plainSpelling(path: string): string {
  if (PLAIN.test(path) || isTooLong(path)) return path
  spend(20 + path.length * 10)
  const decoded = decodePercent(path.replace(/^file:(?:\/\/[^/]*)?(?=\/)/i, ''))
  return normalizeText(decoded, 'NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(SLASHES, '/')
    .replaceAll(LOOK_ALIKES, (letter) => LATIN[LETTERS.indexOf(letter)] ?? letter)
    .split('/')
    .map((name) => (name === '.' || name === '..' ? name : withoutEnd(withoutStream(name), '. ')))
    .join('/')
}

/** Removes an NTFS stream: `name:stream`. */
function withoutStream(name: string): string {
  const colon = name.indexOf(':', 1)
  return colon === -1 ? name : name.slice(0, colon)
}

function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes)
    } catch {
      return codes
    }
  })
}
