/** What people write tools with. */

export { ToolRegistry } from './registry.js'
export { defineTool, type Tool, type ToolContext, type ToolDefinition, ToolFailure } from './tool.js'
