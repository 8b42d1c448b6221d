/** The tools of a session: those of all sessions, and those that a program gave to it alone. */

import { BUILT_IN, PROGRAM, ToolRegistry } from './registry.js'
import type { Tool } from './tool.js'

export class SessionToolBook {
  readonly #common: ToolRegistry
  readonly #own = new Map<string, readonly Tool[]>()

  constructor(common: ToolRegistry) {
    this.#common = common
  }

  /** In place of what the session was given before. A name that others use too, also a built-in tool, means the session's own tool. */
  give(sessionId: string, tools: Iterable<Tool>): void {
    const own = [...tools]
    if (own.length === 0) this.#own.delete(sessionId)
    else this.#own.set(sessionId, own)
  }

  of(sessionId: string): ToolRegistry {
    const own = this.#own.get(sessionId)
    if (!own) return this.#common
    const taken = new Set(own.map(({ name }) => name.toLowerCase()))
    const registry = new ToolRegistry()
    for (const tool of this.#common.list()) {
      if (!taken.has(tool.name.toLowerCase()))
        registry.register(tool, this.#common.sourceOf(tool.name) ?? BUILT_IN)
    }
    for (const tool of own) registry.register(tool, PROGRAM)
    return registry
  }
}
