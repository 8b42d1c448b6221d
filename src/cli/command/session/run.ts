/** `signalbox run`: one prompt from the terminal, answered here. Uses the daemon if one runs, and is one if not. */

import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { type Client, createClient } from '../../../client/client.js'
import { homePath } from '../../../home.js'
import { efforts, permissionModes } from '../../../protocol/choice.js'
import { HubError } from '../../../protocol/error.js'
import type { SessionOptions } from '../../../protocol/option/option.js'
import type { PermissionMode } from '../../../protocol/value.js'
import { slugOf } from '../../../protocol/worktree/worktree-name.js'
import { askForTrust } from '../../ask/ask-trust.js'
import { readChoice, readNumber } from '../../command-options.js'
import { findDaemon } from '../../connect.js'
import { EXIT } from '../../exit-code.js'
import { followTurn } from '../../follow-turn.js'
import { startLoggedDaemon } from '../../log/logged-daemon.js'
import type { Terminal } from '../../output/terminal.js'
import { findPrompt } from '../../saved-prompt.js'
import { findSessionId } from '../../short-id.js'

export interface RunOptions {
  cwd?: string
  mode?: string
  model?: string
  effort?: string
  prompt?: string
  session?: string
  externalId?: string
  worktree?: string | true
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
  const typed = words.length > 0 || options.prompt !== undefined ? words.join(' ') : await readPrompt()
  if (typed.trim() === '' && options.prompt === undefined)
    throw new HubError('request_invalid', 'No prompt given. Example: signalbox run "fix the failing test"')
  if (options.session !== undefined && options.worktree !== undefined)
    throw new HubError(
      'request_invalid',
      'Use --session or --worktree, not both: --worktree is for a new session.',
    )
  if (options.session !== undefined && options.externalId !== undefined)
    throw new HubError(
      'request_invalid',
      'Use --session or --external-id, not both: --external-id is for a new session.',
    )
  const mode = options.mode === undefined ? undefined : readChoice('--mode', options.mode, permissionModes)
  const settings = readSettings(options)
  const { client, close } = await findOrStart(options)
  // A closed terminal must not leave orphaned agents behind.
  const leave = () => void close().finally(() => process.exit(EXIT.interrupted))
  process.once('SIGTERM', leave).once('SIGHUP', leave)
  try {
    const saved = options.prompt === undefined ? null : await findPrompt(client, options.prompt)
    const prompt = [saved?.text, typed].filter(Boolean).join('\n\n')
    if (options.session === undefined)
      await askForTrust(
        client,
        resolve(options.cwd ?? process.cwd()),
        homePath(options.home, process.env),
        terminal,
      )
    const turn = await begin(client, prompt, mode, settings, options)
    return await followTurn({ ...turn, client, isJson: options.json === true }, terminal)
  } finally {
    await close()
    process.off('SIGTERM', leave).off('SIGHUP', leave)
  }
}

async function readPrompt(): Promise<string> {
  return process.stdin.isTTY ? '' : readAll(process.stdin)
}

function readSettings({ maxTurns, budget, effort }: RunOptions): SessionOptions {
  return {
    ...(effort !== undefined && { effort: readChoice('--effort', effort, efforts) }),
    ...(maxTurns !== undefined && { maxTurns: readNumber('--max-turns', maxTurns, { min: 1, max: 10_000 }) }),
    ...(budget !== undefined && {
      maxBudgetUsd: readNumber('--budget', budget, { min: 0.0001, max: 1_000_000 }),
    }),
  }
}

/** The daemon of this home, or one of our own that ends with the command. Others can answer its requests as well. */
async function findOrStart(options: RunOptions): Promise<{ client: Client; close(): Promise<void> }> {
  const home = homePath(options.home, process.env)
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
  const { daemon } = await startLoggedDaemon({
    home,
    settings: { port: 0 },
    scripted: options.scripted ?? null,
  })
  const client = createClient({ url: daemon.url, token: daemon.token, via: 'cli' })
  return { client, close: () => daemon.close() }
}

async function begin(
  client: Client,
  prompt: string,
  permissionMode: PermissionMode | undefined,
  settings: SessionOptions,
  options: RunOptions,
) {
  const { session: given, model, externalId, worktree } = options
  if (given !== undefined) {
    const { session } = await client.getSession({ params: { id: await findSessionId(client, given) } })
    const change = {
      ...(permissionMode && { permissionMode }),
      ...(model !== undefined && { model }),
      ...(settings.effort && { effort: settings.effort }),
    }
    if (Object.keys(change).length > 0)
      await client.changeSession({ params: { id: session.id }, body: change })
    const { messageId } = await client.sendMessage({ params: { id: session.id }, body: { text: prompt } })
    return { sessionId: session.id, cwd: session.cwd, messageId, after: session.lastSeq }
  }
  const { session } = await client.createSession({
    body: {
      cwd: resolve(options.cwd ?? process.cwd()),
      ...(permissionMode && { permissionMode }),
      ...(model !== undefined && { model }),
      ...(externalId !== undefined && { externalId }),
      ...(worktree !== undefined && { worktree: { name: worktree === true ? slugOf(prompt) : worktree } }),
      ...(Object.keys(settings).length > 0 && { options: settings }),
    },
  })
  const { messageId } = await client.sendMessage({ params: { id: session.id }, body: { text: prompt } })
  // From its first event: all of the session happens here.
  return { sessionId: session.id, cwd: session.cwd, messageId, after: 0 }
}
