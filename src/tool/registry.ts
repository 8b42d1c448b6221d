/** The tools that a session can be given, by name. */

import { HubError } from '../protocol/error.js'
import { checkTool, type Tool } from './tool.js'

export const BUILT_IN = 'built-in'
/** Given by the program that has opened the runtime. */
export const PROGRAM = 'program'

interface Entry {
  tool: Tool
  source: string
}

export class ToolRegistry {
  readonly #entries = new Map<string, Entry>()

  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.register(tool)
  }

  /** Adds a tool. A name can be taken once; names that differ only in case count as the same. */
  register(tool: Tool, source: string = BUILT_IN): void {
    const checked = checkTool(tool)
    const taken = this.list().find(({ name }) => name.toLowerCase() === checked.name.toLowerCase())
    if (taken) {
      throw new HubError(
        'config_invalid',
        `The tool ${checked.name} cannot be registered: a tool ${taken.name} exists already. Rename one of them.`,
        { tool: checked.name, source },
      )
    }
    this.#entries.set(checked.name, { tool: checked, source })
  }

  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool
  }

  /** `built-in`, `program`, or the file that the tool comes from. */
  sourceOf(name: string): string | undefined {
    return this.#entries.get(name)?.source
  }

  /** In the order of their registration. */
  list(): Tool[] {
    return [...this.#entries.values()].map(({ tool }) => tool)
  }

  /** The tools that agents see: those with a schema and, where names are given, among them. */
  published(names?: readonly string[]): Tool[] {
    return this.list().filter(({ name, input }) => input !== undefined && (!names || names.includes(name)))
  }
}
