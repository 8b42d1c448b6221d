/** Globs of searching programs: whether they are meant for protected files. */

import { nameOf } from './path.js'
import { protectionOf } from './protected.js'
import { expandBraces } from './shell/brace.js'
import { fits, sampleOf } from './shell/pattern.js'

/** `.env*`, `*.pem`, `{secrets,config}/**`: every alternative counts. */
export function aimsAtProtected(glob: string): boolean {
  return glob
    .split(/\s+/)
    .filter((part) => part !== '' && !part.startsWith('!'))
    .flatMap((part) => expandBraces(part) ?? [part])
    .some((part) => {
      const last = nameOf(part)
      return protectionOf(sampleOf(part)) !== null || (last.startsWith('.') && fits(last, '.env'))
    })
}
