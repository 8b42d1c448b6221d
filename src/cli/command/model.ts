/** `signalbox model`: the scripted model alone. */

import { HubError } from '../../protocol/error.js'
import { readScriptFile } from '../../runtime/model-access.js'
import { demoScript } from '../../scripted/demo-script.js'
import { startScriptedModel } from '../../scripted/server.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'

export async function model(
  options: { script?: string; port: string; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const script = options.script === undefined ? demoScript : readScriptFile(options.script)
  const server = await startScriptedModel(script, { port: readPort(options.port) })
  if (options.json) terminal.json({ event: 'ready', url: server.url, pid: process.pid })
  else
    terminal.out(
      `The scripted model is listening at ${server.url}\nUse it with ANTHROPIC_BASE_URL=${server.url}\n`,
    )
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await server.close()
  return EXIT.done
}

function readPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new HubError('request_invalid', `Invalid --port "${text}". Use a number from 0 to 65535.`)
}
