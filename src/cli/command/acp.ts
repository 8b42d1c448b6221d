/** `signalbox acp`: sessions in an editor, over the Agent Client Protocol. Standard output carries nothing else. */

import { readFileSync } from 'node:fs'
import { homePath } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import { serveEditor } from '../acp/agent.js'
import { lineStream } from '../acp/line-stream.js'
import { openPlane } from '../acp/plane.js'
import { EXIT } from '../exit-code.js'

export interface AcpOptions {
  home?: string
  tokenFile?: string
  scripted?: string | true
}

/** Lines on standard error that its reader has not taken; more are dropped. */
const MAX_UNREAD_LOG = 256 * 1024

export async function acp({ home, tokenFile, scripted }: AcpOptions): Promise<number> {
  const log = (message: string) => {
    if (process.stderr.writableLength < MAX_UNREAD_LOG) process.stderr.write(`signalbox acp: ${message}\n`)
  }
  // Libraries must not write among the messages.
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
    console[level] = (...words: unknown[]) => log(words.map(String).join(' '))
  const plane = await openPlane({
    home: homePath(home, process.env),
    scripted: scripted ?? null,
    token: tokenFile === undefined ? undefined : readToken(tokenFile),
  })
  try {
    const connection = serveEditor({ plane, stream: lineStream(process.stdin, process.stdout), log })
    const leave = () => connection.close()
    process.once('SIGTERM', leave).once('SIGHUP', leave).once('SIGINT', leave)
    await connection.closed
    return EXIT.done
  } finally {
    await plane.close()
  }
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new HubError(
      'request_invalid',
      `Cannot read the token in ${path}. Check the path and its permissions.`,
      {},
      { cause },
    )
  }
}
