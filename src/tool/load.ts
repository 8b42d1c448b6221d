/** Tools from people's own files. To import a file is to run it: only what a trusted setting names comes here. */

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HubError } from '../protocol/error.js'
import { checkTool, type Tool } from './tool.js'

/** Every tool that the modules export, by name, as default or in lists. Relative files are seen from `folder`. */
export async function loadTools(files: readonly string[], folder: string): Promise<Tool[]> {
  const found: Tool[] = []
  for (const file of files) found.push(...(await loadFile(resolve(folder, file))))
  return found
}

async function loadFile(file: string): Promise<Tool[]> {
  const exported = Object.values(await importFile(file)).flat()
  // The same tool may be exported twice, by its name and in a list.
  const candidates = [...new Set(exported.filter(looksLikeTool))]
  if (candidates.length === 0) {
    throw new HubError(
      'config_invalid',
      `${file} exports no tools. Export one made with defineTool({ name, description, input, run }), or a list of them.`,
      { file },
    )
  }
  return candidates.map((candidate) => {
    try {
      return checkTool(candidate)
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause)
      throw new HubError('config_invalid', `${file}: ${problem}`, { file }, { cause })
    }
  })
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new HubError(
      'config_invalid',
      `The tools in ${file} can not be loaded: ${problem}`,
      { file },
      { cause },
    )
  }
}

function looksLikeTool(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('run' in value || 'description' in value)
}
