/** Tools from the user's own files. Importing a file executes it: only files that a trusted setting names come here. */

import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { HubError } from '../protocol/error.js'
import { checkTool, defineTool, type Tool, ToolFailure } from './tool.js'

export interface LoadedTool {
  tool: Tool
  file: string
}

/** Every tool that the modules export, by name, as default or in lists. Relative files are seen from `folder`. */
export async function loadTools(files: readonly string[], folder: string): Promise<LoadedTool[]> {
  const found: LoadedTool[] = []
  for (const name of files) {
    const file = resolve(folder, name)
    await expectOwn(file)
    found.push(...(await loadFile(file)).map((tool) => ({ tool, file })))
  }
  return found
}

const OTHERS_MAY_WRITE = 0o002
const STICKY = 0o1000

/** A file that another user could change is not executed. */
async function expectOwn(file: string): Promise<void> {
  const [entry, above] = await Promise.all([stat(file), stat(dirname(file))]).catch((cause: unknown) => {
    throw failure(file, 'The file does not exist or is not readable.', cause)
  })
  const isOpen = (entry.mode & OTHERS_MAY_WRITE) !== 0
  const isReplaceable = (above.mode & OTHERS_MAY_WRITE) !== 0 && (above.mode & STICKY) === 0
  const own = process.getuid?.()
  const isForeign = own !== undefined && entry.uid !== own && entry.uid !== 0
  if (isForeign) throw failure(file, 'It belongs to another user of this machine.')
  if (isOpen || isReplaceable) throw failure(file, 'Every user of this machine may change it.')
}

/** Passed to a file that exports a function, so that it need not import these. */
const KIT = { z, defineTool, ToolFailure }

async function loadFile(file: string): Promise<Tool[]> {
  const { default: main, ...named } = await importFile(file)
  const made: unknown = typeof main === 'function' ? await runMaker(file, () => main(KIT)) : main
  const exported = [made, ...Object.values(named)].flat()
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

function importFile(file: string): Promise<Record<string, unknown>> {
  return runMaker(file, () => import(pathToFileURL(file).href)) as Promise<Record<string, unknown>>
}

async function runMaker(file: string, make: () => unknown): Promise<unknown> {
  try {
    return await make()
  } catch (cause) {
    throw failure(file, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function failure(file: string, problem: string, cause?: unknown): HubError {
  return new HubError(
    'config_invalid',
    `The tools in ${file} cannot be loaded: ${problem}`,
    { file },
    { cause },
  )
}

function looksLikeTool(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('run' in value || 'description' in value)
}
