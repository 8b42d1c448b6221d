/** `signalbox run`: one prompt from the terminal, answered here. Uses the daemon if one runs, and is one if not. */

import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { type Client, createClient } from '../../../client/client.js'
import { readConfig } from '../../../config.js'
import { startDaemon } from '../../../daemon.js'
import { homePath } from '../../../home.js'
import { createLog } from '../../../lib/log.js'
import { createSecretSet } from '../../../lib/redact/secret-set.js'
import { secretsIn } from '../../../lib/redact/secret-value.js'
import { permissionModes } from '../../../protocol/choice.js'
import { HubError } from '../../../protocol/error.js'
import type { SessionOptions } from '../../../protocol/option/option.js'
import type { PermissionMode } from '../../../protocol/value.js'
import { askForTrust } from '../../ask/ask-trust.js'
import { readChoice, readNumber } from '../../command-options.js'
import { findDaemon } from '../../connect.js'
import { EXIT } from '../../exit-code.js'
import { followTurn } from '../../follow-turn.js'
import type { Terminal } from '../../output/terminal.js'
import { ownCommandAnywhere } from '../../own-command.js'
import { findSessionId } from '../../short-id.js'

export interface RunOptions {
  cwd?: string
  mode?: string
  model?: string
  session?: string
  externalId?: string
  maxTurns?: string
  budget?: string
  home?: string
  scripted?: string | true
  json?: boolean
}

export async function run(
  words: readonly string[],
  options: RunOptions,
  terminal: Terminal,
): Promise<number> {
  const prompt = words.length > 0 ? words.join(' ') : await readPrompt()
  if (prompt.trim() === '')
    throw new HubError('request_invalid', 'No prompt given. Example: signalbox run "fix the failing test"')
  if (options.session !== undefined && options.externalId !== undefined)
    throw new HubError(
      'request_invalid',
      'Use --session or --external-id, not both: --external-id is for a new session.',
    )
  const mode = options.mode === undefined ? undefined : readChoice('--mode', options.mode, permissionModes)
  const limits = readLimits(options)
  const { client, close } = await findOrStart(options)
  // A closed terminal must not leave orphaned agents behind.
  const leave = () => void close().finally(() => process.exit(EXIT.interrupted))
  process.once('SIGTERM', leave).once('SIGHUP', leave)
  try {
    if (options.session === undefined)
      await askForTrust(
        client,
        resolve(options.cwd ?? process.cwd()),
        homePath(options.home, process.env),
        terminal,
      )
    const turn = await begin(client, prompt, mode, limits, options)
    return await followTurn({ ...turn, client, isJson: options.json === true }, terminal)
  } finally {
    await close()
    process.off('SIGTERM', leave).off('SIGHUP', leave)
  }
}

async function readPrompt(): Promise<string> {
  return process.stdin.isTTY ? '' : readAll(process.stdin)
}

function readLimits({ maxTurns, budget }: RunOptions): SessionOptions {
  return {
    ...(maxTurns !== undefined && { maxTurns: readNumber('--max-turns', maxTurns, { min: 1, max: 10_000 }) }),
    ...(budget !== undefined && {
      maxBudgetUsd: readNumber('--budget', budget, { min: 0.0001, max: 1_000_000 }),
    }),
  }
}

/** The daemon of this home, or one of our own that ends with the command. Others can answer its requests as well. */
async function findOrStart(options: RunOptions): Promise<{ client: Client; close(): Promise<void> }> {
  const { env } = process
  const home = homePath(options.home, env)
  const running = findDaemon(home)
  const about = await running?.about().catch(() => null)
  if (running && about) {
    // A user who asks for the script must not get a model that costs money.
    if (options.scripted !== undefined && about.about.model !== 'scripted') {
      throw new HubError(
        'daemon_running',
        'The running daemon uses your account, not a script. Choose another home with --home.',
      )
    }
    return { client: running, close: async () => {} }
  }
  const secrets = createSecretSet(secretsIn(env))
  const daemon = await startDaemon({
    home,
    config: readConfig(home, { port: 0 }, env),
    scripted: options.scripted ?? null,
    env,
    secrets,
    command: ownCommandAnywhere(home, env),
    log: createLog((line) => process.stderr.write(secrets.redact(line)), Date.now),
  })
  const client = createClient({ url: daemon.url, token: daemon.token, via: 'cli' })
  return { client, close: () => daemon.close() }
}

async function begin(
  client: Client,
  prompt: string,
  permissionMode: PermissionMode | undefined,
  limits: SessionOptions,
  options: RunOptions,
) {
  const { session: given, model, externalId } = options
  if (given !== undefined) {
    const { session } = await client.getSession({ params: { id: await findSessionId(client, given) } })
    if (permissionMode || model !== undefined)
      await client.changeSession({
        params: { id: session.id },
        body: { ...(permissionMode && { permissionMode }), ...(model !== undefined && { model }) },
      })
    const { messageId } = await client.sendMessage({ params: { id: session.id }, body: { text: prompt } })
    return { sessionId: session.id, cwd: session.cwd, messageId, after: session.lastSeq }
  }
  const { session } = await client.createSession({
    body: {
      cwd: resolve(options.cwd ?? process.cwd()),
      ...(permissionMode && { permissionMode }),
      ...(model !== undefined && { model }),
      ...(externalId !== undefined && { externalId }),
      ...(Object.keys(limits).length > 0 && { options: limits }),
    },
  })
  const { messageId } = await client.sendMessage({ params: { id: session.id }, body: { text: prompt } })
  // From its first event: all of the session happens here.
  return { sessionId: session.id, cwd: session.cwd, messageId, after: 0 }
}
