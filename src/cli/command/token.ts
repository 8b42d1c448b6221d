/** `signalbox token`: creates, lists and revokes tokens. */

import { homePath } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import { Role } from '../../protocol/role.js'
import { orList } from '../command-options.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'
import { type TimeOptions, timeText } from '../output/time.js'
import { theOnly } from '../short-id.js'

interface CommonOptions extends TimeOptions {
  home?: string
  json?: boolean
}

export async function createToken(
  name: string,
  options: CommonOptions & { role: string; days?: string; user?: string; mcpAnswers?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const expiresAt = options.days === undefined ? undefined : inDays(options.days)
  const reply = await client.createToken({
    body: {
      name,
      role: readRole(options.role),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(options.user !== undefined && { user: options.user }),
      ...(options.mcpAnswers && { answersByMcp: true }),
    },
  })
  if (options.json) terminal.json(reply)
  else {
    terminal.note(`Token "${name}" (${reply.token.role}). Copy it now, it is not shown again:`)
    terminal.out(`${reply.secret}\n`)
  }
  return EXIT.done
}

export async function listTokens(options: CommonOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { tokens } = await client.listTokens()
  if (options.json) terminal.json({ tokens })
  else if (tokens.length === 0) terminal.note('No tokens except that of the home, and no browser logins.')
  else
    terminal.out(
      table(
        [
          { title: 'token', minWidth: 12 },
          { title: 'role' },
          { title: 'kind' },
          { title: 'expires' },
          { title: 'name', minWidth: 8, wraps: true },
        ],
        tokens.map(({ id, name, role, kind, expiresAt, answersByMcp }) => [
          id,
          answersByMcp ? `${role}, mcp` : role,
          kind,
          expiresAt === null ? 'never' : timeText(expiresAt, options, 'minute'),
          oneLine(name),
        ]),
        { width: terminal.columns },
      ),
    )
  return EXIT.done
}

export async function revokeToken(
  idOrName: string,
  options: CommonOptions,
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { tokens } = await client.listTokens()
  const named = tokens.find((token) => token.kind === 'token' && token.name === idOrName)
  const id =
    named?.id ??
    theOnly(
      idOrName,
      tokens,
      () => new HubError('token_not_found', `No token ${idOrName}. List them with "signalbox token list".`),
    )
  const reply = await client.revokeToken({ params: { id } })
  if (options.json) terminal.json(reply)
  else terminal.note(`Revoked ${reply.token.name} (${reply.token.kind}). Its connections are closed.`)
  return EXIT.done
}

export function readRole(text: string): Role {
  const known = Role.safeParse(text)
  if (known.success) return known.data
  throw new HubError('request_invalid', `Unknown role "${text}". Use ${orList(Role.options)}.`)
}

function inDays(text: string): string {
  const days = Number(text)
  if (Number.isFinite(days) && days > 0 && days <= 36_500)
    return new Date(Date.now() + days * 24 * 60 * 60_000).toISOString()
  throw new HubError('request_invalid', `Invalid --days "${text}". Use a number of days, at most 36500.`)
}
