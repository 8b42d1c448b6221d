/**
 * How the process of a session is started: the requested options, the files of the workspace, and the trust
 * in them.
 */

import { stat } from 'node:fs/promises'
import { tellingValues } from '../lib/redact/secret-value.js'
import { traceparentOf } from '../lib/trace-id.js'
import { narrowOptions, type WorkspaceFile } from '../policy/source/workspace-file.js'
import type { AgentConfig, Agents } from '../protocol/agent.js'
import { HubError } from '../protocol/error.js'
import {
  type McpServers,
  mergeOptions,
  type SessionOptions,
  serverSecrets,
} from '../protocol/option/option.js'
import type { StoredOptions } from '../protocol/option/option-role.js'
import type { Session } from '../protocol/session.js'
import { isTrusted } from '../protocol/workspace.js'
import { chooseTools } from '../tool/choose.js'
import type { ToolRegistry } from '../tool/registry.js'
import { listingOf } from '../tool/tool-server.js'
import { findConversation, findForeignDriver } from './claude/conversation.js'
import { readMcpFile } from './claude/mcp-file.js'
import type { Launch, Start } from './claude/port.js'
import { type HookDeps, hookedEvents } from './gate/session-hooks.js'
import { rightfulOptions } from './rightful-option.js'
import { findTrust, type Trust } from './trust.js'

export interface LaunchSettings {
  /** The environment of every CLI process, and where in it the CLI keeps its conversations. */
  env: Readonly<Record<string, string>>
  /** Each session is a trace, and its processes learn of which. */
  isTraced?: boolean
  configFolder: string
  /** Without it, the program that comes with the SDK. */
  claudePath?: string | undefined
  defaults: SessionOptions
  /** Servers that sessions can be given by name. */
  mcpServers: McpServers
  /** Variables that sessions can be given through the API. */
  allowedVariables: readonly string[]
  /** The settings file of a trusted workspace. Throws if it is invalid. */
  workspaceFile(workspace: string): WorkspaceFile | null
  agents: Agents
  /** Tools that agents of a session can call, besides those of Claude Code. */
  toolsOf(sessionId: string): ToolRegistry
  hooks: HookDeps
  /** Permission rules of the CLI for files that it must never read. */
  deniedReads: readonly string[]
}

export interface PreparedLaunch {
  launch: Launch
  /** Settings that were left out of the session, to be reported in it. */
  problems: readonly HubError[]
  /** Names of servers that the workspace brings. */
  workspaceServers: ReadonlySet<string>
  trust: Trust
}

export async function prepareLaunch(
  session: Session,
  stored: StoredOptions,
  trusted: readonly { readonly path: string }[],
  settings: LaunchSettings,
): Promise<PreparedLaunch> {
  await checkWorkspace(session.cwd)
  const isFolderTrusted = isTrusted(session.cwd, trusted)
  const agent = session.agent === null ? undefined : settings.agents[session.agent]
  const workspace = isFolderTrusted ? readWorkspace(session.cwd, settings) : NOTHING
  const base = mergeOptions(settings.defaults, workspace.options, agent && agentOptions(agent))
  const own = rightfulOptions(stored, base, settings)
  const options = mergeOptions(base, own.options)
  const env: Record<string, string> = {
    ...settings.env,
    ...options.env,
    ...shellOf(settings.env),
    ...(settings.isTraced && { TRACEPARENT: traceparentOf(session.id) }),
  }
  const trust = await findTrust({
    cwd: session.cwd,
    trusted,
    userHome: env['HOME'] ?? '/',
    more: options.additionalDirectories ?? [],
  })
  const { servers, problem } = trust.isTrusted
    ? await workspaceServers(session.cwd, env)
    : { servers: {}, problem: null }
  const published = settings.toolsOf(session.id).published()
  const { builtIn, ours } = chooseTools(
    Array.isArray(options.tools) ? options.tools : undefined,
    published.map(({ name }) => name),
  )
  const given = { ...own.servers, ...options.mcpServers }
  const isOwn = (name: string) => Object.hasOwn(given, name)
  const { start, lost } = await startOf(session, settings.configFolder)
  return {
    problems: [own.problem, problem, workspace.problem, strangersProblem(trust), lost].filter(
      (it) => it !== null,
    ),
    trust,
    workspaceServers: new Set(
      Object.keys(servers)
        .filter((name) => !isOwn(name))
        .map(asToolPart),
    ),
    launch: {
      cwd: session.cwd,
      env,
      program: settings.claudePath ?? null,
      model: session.model,
      permissionMode: session.permissionMode,
      thinkingTokens: session.thinkingTokens,
      effort: session.effort,
      // In a folder that is not trusted, none of its files take effect, regardless of the options.
      options: {
        ...options,
        ...(builtIn && { tools: builtIn }),
        settingSources: sourcesOf(trust, options),
      },
      excludedMemory: trust.excludedMemory,
      mcpServers: { ...servers, ...given },
      tools: published.filter(({ name }) => ours.includes(name)).map(listingOf),
      hooks: hookedEvents(settings.hooks.settings, session.cwd),
      deniedReads: settings.deniedReads,
      start,
    },
  }
}

function sourcesOf({ isTrusted: isOwn, strangers }: Trust, options: SessionOptions) {
  if (!isOwn) return []
  const chosen = options.settingSources ?? ['user', 'project', 'local']
  return strangers.length === 0 ? chosen : chosen.filter((source) => source === 'user')
}

function strangersProblem({ strangers }: Trust): HubError | null {
  if (strangers.length === 0) return null
  const names = strangers.map((folder) => `${folder}/.claude`).join(', ')
  return new HubError(
    'parent_not_trusted',
    `The settings, skills, agents and CLAUDE.md of this workspace are not loaded: Claude Code would load those of ${names} too, which is not trusted. Fix: trust that folder as well, delete it, or make the workspace a git repository of its own ("git init").`,
    { folders: strangers },
  )
}

/** The policy parses commands as bash does, so a session cannot choose another shell. */
function shellOf({ CLAUDE_CODE_SHELL: shell }: Readonly<Record<string, string>>): Record<string, string> {
  return shell === undefined ? {} : { CLAUDE_CODE_SHELL: shell }
}

const NOTHING: { options: SessionOptions; problem: HubError | null } = { options: {}, problem: null }

/** The workspace's settings for its own sessions. An invalid file is reported and ignored as a whole. */
function readWorkspace(cwd: string, { workspaceFile, defaults }: LaunchSettings): typeof NOTHING {
  try {
    const file = workspaceFile(cwd)
    return file ? { options: narrowOptions(defaults, file), problem: null } : NOTHING
  } catch (error) {
    if (error instanceof HubError) return { options: {}, problem: error }
    throw error
  }
}

/** Values given to a process that must be redacted. */
export function secretsOf({ options, mcpServers }: Pick<Launch, 'options' | 'mcpServers'>): string[] {
  const given = Object.values(mcpServers).flatMap(serverSecrets)
  return tellingValues([...Object.values(options.env ?? {}), ...given])
}

/** A server's name as it stands in the names of its tools. */
function asToolPart(server: string): string {
  return server.replaceAll(/[^\w-]/g, '_')
}

async function checkWorkspace(cwd: string): Promise<void> {
  const folder = await stat(cwd).catch(() => null)
  if (folder?.isDirectory()) return
  throw new HubError('workspace_not_found', `The session's folder ${cwd} is gone.`, { cwd })
}

function agentOptions({ prompt, tools }: AgentConfig): SessionOptions {
  return { ...(prompt !== undefined && { systemPrompt: { append: prompt } }), ...(tools && { tools }) }
}

async function workspaceServers(cwd: string, env: Readonly<Record<string, string>>) {
  try {
    return { servers: await readMcpFile(cwd, env), problem: null }
  } catch (error) {
    if (error instanceof HubError) return { servers: {}, problem: error }
    throw error
  }
}

/** A conversation with a transcript is resumed; one without begins, or is forked from another. */
async function startOf(
  { claudeSessionId, conversation, resumeAt, contextTokens }: Session,
  configFolder: string,
): Promise<{ start: Start; lost: HubError | null }> {
  const id = claudeSessionId ?? conversation.id
  if (await findConversation(configFolder, id))
    return { start: { kind: 'resume', id, at: resumeAt }, lost: null }
  // With another id it is one that was begun in its place.
  const isFirst = id === conversation.id
  if (isFirst && conversation.kind === 'forked' && (await findConversation(configFolder, conversation.from)))
    return { start: { kind: 'fork', id, from: conversation.from, at: conversation.at }, lost: null }
  if (isFirst && conversation.kind !== 'new')
    throw new HubError('conversation_not_found', `Claude's record of conversation ${id} is gone.`, {
      claudeSessionId: id,
    })
  return { start: { kind: 'new', id }, lost: contextTokens === null ? null : lostConversation(id) }
}

/** The agent's context is lost, but the session is not: it continues in a new conversation, and says so. */
export function lostConversation(claudeSessionId: string): HubError {
  return new HubError(
    'conversation_not_found',
    `Claude's record of conversation ${claudeSessionId} is gone or cannot be used. The session goes on in a new one: the agent does not remember what came before. Check that the disk has room.`,
    { claudeSessionId },
  )
}

/** One conversation is never driven by two processes: the CLI would lose what one of them says. */
export async function refuseIfDriven(
  configFolder: string,
  id: string,
  ours: ReadonlySet<number>,
): Promise<void> {
  const pid = await findForeignDriver(configFolder, id, ours)
  if (pid === null) return
  throw new HubError(
    'conversation_in_use',
    `Another Claude Code process (pid ${pid}) drives this conversation. End it there, or fork the session.`,
    { claudeSessionId: id, pid },
  )
}
