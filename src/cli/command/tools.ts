/** `signalbox tools`: what sessions can be given besides the tools of Claude Code. */

import { homePath } from '../../home.js'
import type { ToolInfo } from '../../protocol/tool.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { markdownText } from '../output/markdown.js'
import type { Terminal } from '../output/terminal.js'

const INDENT = 4
const SPACE = ' '.repeat(INDENT)

export async function tools(options: { home?: string; json?: boolean }, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { tools: found } = await client.listTools({ query: { limit: 1_000 } })
  if (options.json) terminal.json({ tools: found })
  else for (const tool of found) terminal.out(`${describe(tool, terminal)}\n`)
  return EXIT.done
}

function describe({ id, description, source, input }: ToolInfo, { color, columns }: Terminal): string {
  const [firstLine = ''] = description.split('\n')
  const hidden = input === null ? ' (not visible to agents)' : ''
  const text = markdownText(firstLine, columns && columns - INDENT).replaceAll('\n', `\n${SPACE}`)
  return `${color.bold(id)}${hidden}\n${SPACE}${text}\n${SPACE}${color.dim(source)}`
}
