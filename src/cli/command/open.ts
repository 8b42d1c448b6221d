/** `signalbox open`: a new one-time link to the dashboard. */

import { homePath } from '../../home.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'
import { readRole } from './token.js'

export async function open(
  options: { home?: string; role?: string; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { role } = options
  const { url, expiresAt } = await client.createLoginCode({
    body: role === undefined ? {} : { role: readRole(role) },
  })
  if (options.json) terminal.json({ url, expiresAt })
  else terminal.out(`${url}\n`)
  return EXIT.done
}
