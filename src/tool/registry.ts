/** The tools that a session can be given, by name. */

import { HubError } from '../protocol/error.js'
import { checkTool, type Tool } from './tool.js'

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>()

  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.register(tool)
  }

  /** Adds a tool. A name can be taken once; names that differ only in case count as the same. */
  register(tool: Tool): void {
    const checked = checkTool(tool)
    const taken = this.list().find(({ name }) => name.toLowerCase() === checked.name.toLowerCase())
    if (taken) {
      throw new HubError(
        'config_invalid',
        `The tool ${checked.name} can not be registered: there is a tool ${taken.name} already. Rename one of them.`,
        { tool: checked.name },
      )
    }
    this.#tools.set(checked.name, checked)
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** In the order of their registration. */
  list(): Tool[] {
    return [...this.#tools.values()]
  }

  /** What agents see: the tools that have a schema and, where names are given, are among them. */
  published(names?: readonly string[]): Tool[] {
    return this.list().filter(({ name, input }) => input !== undefined && (!names || names.includes(name)))
  }
}
