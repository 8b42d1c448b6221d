/** Which tools a session has: those of everybody, and those that a program gave to it alone. */

import { BUILT_IN, ToolRegistry } from './registry.js'
import type { Tool } from './tool.js'

export class SessionToolBook {
  readonly #common: ToolRegistry
  readonly #own = new Map<string, readonly Tool[]>()

  constructor(common: ToolRegistry) {
    this.#common = common
  }

  /**
   * In place of what the session was given before. A name that others use too means the session's own tool, except for
   * built-in tools: the policy knows what those do by their names.
   */
  give(sessionId: string, tools: Iterable<Tool>): void {
    const own = [...tools].filter(({ name }) => this.#common.sourceOf(name) !== BUILT_IN)
    if (own.length === 0) this.#own.delete(sessionId)
    else this.#own.set(sessionId, own)
  }

  of(sessionId: string): ToolRegistry {
    const own = this.#own.get(sessionId)
    if (!own) return this.#common
    const taken = new Set(own.map(({ name }) => name.toLowerCase()))
    return new ToolRegistry([
      ...this.#common.list().filter(({ name }) => !taken.has(name.toLowerCase())),
      ...own,
    ])
  }
}
