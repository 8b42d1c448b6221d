/** `signalbox trust`: the folders whose project settings are loaded. */

import { resolve } from 'node:path'
import { printable } from '../../../lib/text/printable.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { type TimeOptions, timeText } from '../../output/time.js'

export async function trust(
  folder: string | undefined,
  options: CommandOptions & TimeOptions & { remove?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  if (folder === undefined) {
    const { workspaces } = await client.listWorkspaces()
    if (options.json) terminal.json({ workspaces })
    else if (workspaces.length === 0)
      terminal.note('No trusted folders: project settings, hooks and MCP servers are not loaded.')
    else
      terminal.out(
        table(
          [{ title: 'since' }, { title: 'by', minWidth: 6 }, { title: 'folder', minWidth: 16, wraps: true }],
          workspaces.map(({ path, trustedAt, trustedBy }) => [
            timeText(trustedAt, options, 'day'),
            trustedBy,
            printable(path),
          ]),
          { width: terminal.columns },
        ),
      )
    return EXIT.done
  }
  const path = resolve(folder)
  const reply = options.remove
    ? await client.distrustWorkspace({ body: { path } })
    : await client.trustWorkspace({ body: { path } })
  if (options.json) terminal.json(reply)
  else if (options.remove) terminal.note(`${path} is no longer trusted.`)
  else terminal.note(`${path} is trusted: new processes load its settings, hooks and MCP servers.`)
  return EXIT.done
}
