import type { Client } from '../client/client.js'
import type { SavedPrompt } from '../protocol/compose/prompt.js'
import { HubError } from '../protocol/error.js'

/** By its name, or by the start of the only name that has it. */
export async function findPrompt(client: Client, name: string): Promise<SavedPrompt> {
  const { prompts } = await client.listPrompts()
  const wanted = name.normalize('NFC')
  const exact = prompts.find((prompt) => prompt.name === wanted)
  const starting = prompts.filter((prompt) => prompt.name.startsWith(wanted))
  const [found] = exact ? [exact] : starting
  if (found && (exact || starting.length === 1)) return found
  if (found)
    throw new HubError(
      'request_invalid',
      `${name} is ambiguous: ${starting.length} saved prompts start with it. Use more characters.`,
    )
  throw new HubError(
    'prompt_not_found',
    `No saved prompt ${name}. List them with "signalbox prompts list".`,
    { name },
  )
}
