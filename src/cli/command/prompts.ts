/** `signalbox prompts`: lists, shows, saves and deletes saved prompts. */

import { text as readAll } from 'node:stream/consumers'
import { PROMPT_NAME } from '../../protocol/choice.js'
import { HubError } from '../../protocol/error.js'
import { type CommandOptions, clientFor } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'
import { type TimeOptions, timeText } from '../output/time.js'
import { hint } from '../own-command.js'
import { findPrompt } from '../saved-prompt.js'

export async function listPrompts(
  options: CommandOptions & TimeOptions,
  terminal: Terminal,
): Promise<number> {
  const { prompts } = await clientFor(options).listPrompts()
  if (options.json) terminal.json({ prompts })
  else if (prompts.length === 0)
    terminal.note(hint('No saved prompts. Save one with "signalbox prompts save NAME TEXT".'))
  else
    terminal.out(
      table(
        [
          { title: 'name', minWidth: 8 },
          { title: 'saved' },
          { title: 'by' },
          { title: 'prompt', minWidth: 12, wraps: true },
        ],
        prompts.map(({ name, text, savedAt, savedBy }) => [
          name,
          timeText(savedAt, options, 'minute'),
          oneLine(savedBy),
          oneLine(text.slice(0, MAX_SHOWN)),
        ]),
        { width: terminal.columns },
      ),
    )
  return EXIT.done
}

/** Characters of a prompt in a list. */
const MAX_SHOWN = 200

export async function showPrompt(name: string, options: CommandOptions, terminal: Terminal): Promise<number> {
  const prompt = await findPrompt(clientFor(options), name)
  if (options.json) terminal.json({ prompt })
  else terminal.out(`${prompt.text.trimEnd()}\n`)
  return EXIT.done
}

export async function savePrompt(
  name: string,
  words: readonly string[],
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (!PROMPT_NAME.test(name.normalize('NFC')))
    throw new HubError(
      'request_invalid',
      `Invalid name "${name}". Use at most 60 letters, digits and . _ - beginning with a letter or digit.`,
    )
  const text = words.length > 0 ? words.join(' ') : process.stdin.isTTY ? '' : await readAll(process.stdin)
  if (text.trim() === '')
    throw new HubError(
      'request_invalid',
      'No prompt given. Example: signalbox prompts save review "Review the last commit"',
    )
  const reply = await clientFor(options).savePrompt({ params: { name }, body: { text } })
  if (options.json) terminal.json(reply)
  else
    terminal.note(
      hint(`Saved ${reply.prompt.name}. Send it with "signalbox run --prompt ${reply.prompt.name}".`),
    )
  return EXIT.done
}

export async function deletePrompt(
  name: string,
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  // By its whole name: what is deleted is gone.
  const reply = await client.deletePrompt({ params: { name } })
  if (options.json) terminal.json(reply)
  else terminal.note(`Deleted ${reply.prompt.name}.`)
  return EXIT.done
}
