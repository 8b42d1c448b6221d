/** Our own home, where it is in a workspace: ignore rules hide it, but a rule of the workspace could show it again. */

import type { BytePath } from '../byte-path.js'
import type { Listing } from './listing.js'

export class OwnPaths {
  /** Lower case: the file system may ignore case. */
  readonly #folders: readonly BytePath[]

  constructor(workspace: string, never: readonly string[]) {
    const top = workspace.endsWith('/') ? workspace : `${workspace}/`
    this.#folders = never
      .filter((path) => path.startsWith(top))
      .map((path) => `${Buffer.from(path.slice(top.length)).toString('latin1').toLowerCase()}/`)
  }

  without(paths: readonly BytePath[]): readonly BytePath[] {
    return this.#folders.length === 0 ? paths : paths.filter((path) => !this.#isOwn(path))
  }

  leaveOut(listing: Listing): Listing {
    if (this.#folders.length === 0) return listing
    const { touched, fresh, bare, closed } = listing
    return {
      touched: touched.filter(({ path }) => !this.#isOwn(path)),
      fresh: this.without(fresh),
      bare: bare && this.without(bare),
      closed: this.without(closed),
    }
  }

  #isOwn(path: BytePath): boolean {
    const folder = `${path.toLowerCase()}/`
    return this.#folders.some((own) => folder.startsWith(own))
  }
}
