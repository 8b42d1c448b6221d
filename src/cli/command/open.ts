/** `signalbox open`: a new one-time link to the dashboard. */

import { homePath } from '../../home.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../terminal.js'

export async function open(options: { home?: string; json?: boolean }, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { url, expiresAt } = await client.createLoginCode({ body: {} })
  if (options.json) terminal.json({ url, expiresAt })
  else terminal.out(`${url}\n`)
  return EXIT.done
}
