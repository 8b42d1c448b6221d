/** A user's machine: a home of its own, `claude` on the path, a skill, and the scripted model behind it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ScriptInput } from '../../src/scripted/script.js'
import { startScriptedModel } from '../../src/scripted/server.js'
import { MAIN, type Place } from './daemon-process.js'
import { temporaryFolder } from './temporary-folder.js'
import { whenDone } from './when-done.js'

export interface TerminalHome {
  folder: string
  cwd: string
  stream: string
  claudeFolder: string
  env: Record<string, string>
  /** The same machine, for a daemon. */
  place: Place
  /** Requests to the model, as JSON. */
  asked(): string
  /** How many of our hooks run right now. */
  hooks(): number
  /** Runs a command line as a user types it. */
  shell(
    command: string,
    env?: Record<string, string>,
  ): Promise<{ code: number | null; stdout: string; stderr: string }>
  signalbox(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  /** Lines of the stream so far. */
  lines(): Promise<Record<string, unknown>[]>
}

export async function makeTerminalHome(script: ScriptInput): Promise<TerminalHome> {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  const claudeFolder = join(folder, '.claude')
  const bin = join(folder, 'bin')
  const skill = join(claudeFolder, 'skills', 'snowflake')
  for (const path of [cwd, bin, skill]) await mkdir(path, { recursive: true })
  await symlink(claudeBinary(), join(bin, 'claude'))
  await writeFile(
    join(skill, 'SKILL.md'),
    '---\nname: snowflake\ndescription: Makes snowflakes.\n---\nMake $ARGUMENTS snowflakes.\n',
  )
  // Answers the questions of the CLI's first start.
  await writeFile(
    join(folder, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      projects: { [cwd]: { hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: ['scripted'] },
    }),
  )
  const scriptFile = join(folder, 'script.json')
  await writeFile(scriptFile, JSON.stringify(script))
  const model = await startScriptedModel(script)
  whenDone(() => model.close())
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ENABLE_TOOL_SEARCH: 'false',
    IS_SANDBOX: '1',
    // Tests run on machines that are busy with other tests.
    SIGNALBOX_HOLD_WITHIN_MS: '10000',
  }
  const run = async (command: string, args: string[], more: Record<string, string> = {}) => {
    const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    return { code: child.exitCode, stdout, stderr }
  }
  const stream = join(folder, '.kw-chat', 'streams', 'lifecycle.jsonl')
  return {
    folder,
    cwd,
    stream,
    claudeFolder,
    env,
    place: {
      folder,
      cwd,
      home: join(folder, '.signalbox'),
      scriptFile,
      env: { ...env, SIGNALBOX_WARM: '0' },
    },
    asked: () => JSON.stringify(model.requests),
    hooks: () => countProcesses(join(claudeFolder, 'hooks')),
    shell: (command, more) => run('sh', ['-c', command], more),
    signalbox: (...args) => run(process.execPath, [MAIN, ...args]),
    lines: async () =>
      (await readFile(stream, 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

/** Processes that were started from a folder. */
function countProcesses(folder: string): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(folder)
    } catch {
      return false
    }
  }).length
}

/** Where the Agent SDK finds it. */
function claudeBinary(): string {
  const { resolve } = createRequire(import.meta.url)
  const sdk = createRequire(resolve('@anthropic-ai/claude-agent-sdk'))
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`
  for (const variant of [name, `${name}-musl`]) {
    try {
      return join(dirname(sdk.resolve(`${variant}/package.json`)), 'claude')
    } catch {
      // Another variant is installed.
    }
  }
  throw new Error(`The Agent SDK has no claude for ${name}.`)
}
