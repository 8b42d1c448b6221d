/** The real CLI through the real SDK, on the scripted model, without a daemon: for what is plugged into the SDK itself. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Options, query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { onTestFinished } from 'vitest'
import { asList, asRecord, asText } from '../../src/lib/loose.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { startScriptedModel } from '../../src/scripted/server.js'
import { temporaryFolder } from './temporary-folder.js'

export interface ToolResultSeen {
  isError: boolean
  text: string
}

export interface DirectRun {
  messages: SDKMessage[]
  /** How many times the model was asked. */
  requests: number
  /** What the model has read as the result of a call; null if it has not. */
  resultOf(toolUseId: string): ToolResultSeen | null
  /** Everything that the model was sent, as text. */
  read: string
}

export async function makeFolders(): Promise<{ folder: string; cwd: string }> {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  await mkdir(cwd)
  return { folder, cwd }
}

/** Sends one prompt, waits for the end of the run, and tells what the model has seen. */
export async function runDirectly(
  { folder, cwd }: { folder: string; cwd: string },
  script: ScriptInput,
  options: Partial<Options>,
): Promise<DirectRun> {
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  const messages: SDKMessage[] = []
  const session = query({
    prompt: 'go',
    options: {
      cwd,
      settingSources: [],
      strictMcpConfig: true,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        CLAUDE_CONFIG_DIR: join(folder, 'claude'),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'scripted',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ENABLE_TOOL_SEARCH: 'false',
        IS_SANDBOX: '1',
      },
      ...options,
    },
  })
  for await (const message of session) messages.push(message)
  const bodies = model.requests.map(({ body }) => asRecord(body)).filter((body) => 'tools' in body)
  const last = asList(bodies.at(-1)?.['messages'])
  const results = new Map(last.flatMap(resultsIn))
  return {
    messages,
    requests: bodies.length,
    resultOf: (toolUseId) => results.get(toolUseId) ?? null,
    read: JSON.stringify(last),
  }
}

function resultsIn(message: unknown): [string, ToolResultSeen][] {
  return asList(asRecord(message)['content'])
    .map(asRecord)
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => [
      asText(block['tool_use_id']) ?? '',
      { isError: block['is_error'] === true, text: textOf(block['content']) },
    ])
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((block) => asText(asRecord(block)['text']) ?? `<${asText(asRecord(block)['type'])}>`)
    .join('|')
}
