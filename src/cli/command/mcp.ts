/** `signalbox mcp`: the MCP server of the daemon on standard input and output. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { homePath, readAddress } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import { EXIT } from '../exit-code.js'
import { runBridge } from '../mcp/bridge.js'

interface McpOptions {
  home?: string
  tokenFile?: string
}

/** In every process of a session. */
const MARK = 'SIGNALBOX_CHILD'

export async function mcp(options: McpOptions): Promise<number> {
  const home = homePath(options.home, process.env)
  const named = namedToken(options.tokenFile)
  await runBridge({
    input: process.stdin,
    output: process.stdout,
    isWithin: process.env[MARK] !== undefined,
    address() {
      const url = readAddress(home)?.url
      // The token of the home gives an MCP client no more than reading.
      const token = named ?? readFile(join(home, 'token'))
      return url === undefined || token === null ? null : { url, token }
    },
  })
  return EXIT.done
}

function namedToken(file: string | undefined): string | null {
  if (file === undefined) return process.env['SIGNALBOX_MCP_TOKEN'] ?? null
  const token = readFile(file)
  if (token !== null && token !== '') return token
  throw new HubError(
    'request_invalid',
    `Cannot read a token from ${file}. Save the output of "signalbox token create" there.`,
  )
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
