/** Checks of the programs that Signalbox needs, and of what connects it with Claude Code. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config.js'
import { checkDatabase } from '../../home.js'
import { isInOrder } from '../../protocol/terminal/hook-status.js'
import { bundledClaude } from '../../runtime/bundled-claude.js'
import { readHookStatus } from '../../terminal/hook/hook-status.js'
import { claudeFolderOf, streamPathOf } from '../../terminal/stream/paths.js'
import type { Finding } from './finding.js'

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNewEnough = major > 20 || (major === 20 && minor >= 19)
  const found = `Node ${process.versions.node}`
  return isNewEnough
    ? { name: 'Node', state: 'ok', found }
    : { name: 'Node', state: 'broken', found, fix: 'Install Node 20.19 or newer.' }
}

export async function checkSqlite(): Promise<Finding> {
  try {
    return { name: 'SQLite', state: 'ok', found: `SQLite ${await checkDatabase()}, with full-text search` }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return {
      name: 'SQLite',
      state: 'broken',
      found,
      fix: 'Reinstall with "npm install", or use Node 22.13 or newer.',
    }
  }
}

export function checkClaude(config: Config | null): Finding {
  const program = config?.claudePath ?? bundledClaude()
  if (program === null)
    return {
      name: 'Claude',
      state: 'broken',
      found: 'The Claude Code program is not installed.',
      fix: 'Reinstall with optional dependencies, or set claudePath.',
    }
  // In a folder of its own, so that looking at it changes nothing.
  const { status, stdout } = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: process.env['PATH'], HOME: tmpdir(), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  })
  return status === 0
    ? { name: 'Claude', state: 'ok', found: stdout.trim() }
    : {
        name: 'Claude',
        state: 'broken',
        found: `${program} does not run.`,
        fix: 'Reinstall, or set claudePath.',
      }
}

export function checkAccount(): Finding {
  const { env } = process
  const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN']
  const named = names.find((name) => env[name])
  if (named !== undefined) return { name: 'Account', state: 'ok', found: `from ${named}` }
  if (existsSync(join(claudeFolderOf(env), '.credentials.json')))
    return { name: 'Account', state: 'ok', found: 'from the login of Claude Code' }
  const fix = 'Log in with "claude", or set ANTHROPIC_API_KEY. Until then the scripted model is used.'
  return { name: 'Account', state: 'warning', found: 'none found', fix }
}

export function checkHooks(home: string): Finding {
  const { env, platform } = process
  const status = readHookStatus({
    cwd: process.cwd(),
    claudeFolder: claudeFolderOf(env),
    home,
    streamPath: streamPathOf(env),
    platform,
  })
  if (status.installations.length === 0)
    return {
      name: 'Hooks',
      state: 'warning',
      found: 'not installed: sessions in terminals are not visible',
      fix: 'Run "signalbox hooks install".',
    }
  return isInOrder(status)
    ? { name: 'Hooks', state: 'ok', found: 'installed' }
    : {
        name: 'Hooks',
        state: 'broken',
        found: 'installed, but not working',
        fix: 'Run "signalbox hooks status".',
      }
}
