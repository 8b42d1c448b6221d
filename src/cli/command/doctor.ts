/** `signalbox doctor`: checks the setup and suggests fixes. */

import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { verifyDatabase } from '../../audit/database.js'
import { type Config, readConfig } from '../../config.js'
import {
  checkDatabase,
  findForeignInHome,
  findOddFile,
  findUnfinishedRestore,
  homeAt,
  homePath,
} from '../../home.js'
import { findForeignSetting } from '../../named-file.js'
import { createPolicyResolver } from '../../policy/source/effective-policy.js'
import { isInOrder } from '../../protocol/hook-status.js'
import { inspectDatabase } from '../../store/damage.js'
import { findHolder } from '../../store/home-lock.js'
import { tryWriting } from '../../store/write-fault.js'
import { readHookStatus } from '../../terminal/hook/hook-status.js'
import { claudeFolderOf, streamPathOf } from '../../terminal/stream/paths.js'
import type { CommandOptions } from '../command-options.js'
import { findDaemon } from '../connect.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../terminal.js'
import { checkJail } from './doctor-jail.js'
import { checkSdkLog } from './doctor-sdk-log.js'

interface Finding {
  name: string
  /** `warning`: it works without. */
  state: 'ok' | 'warning' | 'broken'
  found: string
  fix?: string
}

const MIN_FREE_BYTES = 500 * 1024 * 1024

export async function doctor(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { env } = process
  const home = homePath(options.home, env)
  const [settings, config] = checkSettings(home)
  const findings = [
    checkNode(),
    await checkSqlite(),
    await examine('Claude', () => checkClaude(config)),
    settings,
    await examine('Policy', () => checkPolicy(home, config)),
    await examine('Home', () => checkHome(home)),
    await examine('Files', () => checkFiles(home, config)),
    await examine('Token', () => checkToken(home)),
    await examine('Data', () => checkData(home)),
    await examine('Audit', () => checkAudit(home)),
    checkWrite(home),
    await examine('SDK log', () => checkSdkLog(home)),
    await examine('Daemon', () => checkDaemon(home, config)),
    await examine('Disk', () => checkDisk(home)),
    checkAccount(),
    await examine('Hooks', () => checkHooks(home)),
    await examine('Jail', () => checkJail(home, config?.readOnlyJail ?? 'auto')),
  ]
  const isWell = findings.every(({ state }) => state !== 'broken')
  if (options.json) terminal.json({ isWell, checks: findings.map(withFormerName) })
  else for (const finding of findings) terminal.out(lineOf(finding, terminal))
  if (isWell) return EXIT.done
  const isStorage = findings.some(({ name, state }) => state === 'broken' && STORAGE.has(name))
  return isStorage ? EXIT.storage : EXIT.failed
}

/** `cure` is the former name of `fix`; programs may read it. */
function withFormerName(finding: Finding): Finding & { cure?: string } {
  return finding.fix === undefined ? finding : { ...finding, cure: finding.fix }
}

/** Problems with reading or writing data have an exit code of their own, as with all other commands. */
const STORAGE: ReadonlySet<string> = new Set(['Home', 'Data', 'Writing', 'SDK log'])

/** A check that fails itself is a finding: the others are still made. */
async function examine(name: string, check: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const found = `Check failed: ${error instanceof Error ? error.message : String(error)}.`
    return { name, state: 'broken', found, fix: 'Fix the other problems first, then run doctor again.' }
  }
}

function lineOf({ name, state, found, fix }: Finding, { color }: Terminal): string {
  const mark = { ok: color.green('✓'), warning: color.yellow('!'), broken: color.red('✗') }[state]
  return `${mark} ${name.padEnd(10)} ${found}\n${fix === undefined ? '' : `  ${' '.repeat(10)} ${fix}\n`}`
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNewEnough = major > 20 || (major === 20 && minor >= 19)
  const found = `Node ${process.versions.node}`
  return isNewEnough
    ? { name: 'Node', state: 'ok', found }
    : { name: 'Node', state: 'broken', found, fix: 'Install Node 20.19 or newer.' }
}

async function checkSqlite(): Promise<Finding> {
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

function checkClaude(config: Config | null): Finding {
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

function bundledClaude(): string | null {
  const resolve = createRequire(import.meta.url).resolve
  const { platform, arch } = process
  for (const name of [`${platform}-${arch}`, `${platform}-${arch}-musl`]) {
    try {
      return resolve(`@anthropic-ai/claude-agent-sdk-${name}/claude${platform === 'win32' ? '.exe' : ''}`)
    } catch {
      // The other one, then.
    }
  }
  return null
}

function checkSettings(home: string): [Finding, Config | null] {
  try {
    const config = readConfig(home, {}, process.env)
    return [{ name: 'Settings', state: 'ok', found: 'valid' }, config]
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return [
      { name: 'Settings', state: 'broken', found, fix: 'Correct the setting; see docs/configuration.md.' },
      null,
    ]
  }
}

function checkPolicy(home: string, config: Config | null): Finding {
  if (config === null)
    return { name: 'Policy', state: 'warning', found: 'not checked: the settings are broken' }
  try {
    const { preset } = createPolicyResolver(home, config).own()
    return { name: 'Policy', state: 'ok', found: `preset ${preset}` }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return { name: 'Policy', state: 'broken', found, fix: 'Correct it; see docs/policy.md.' }
  }
}

function checkHome(home: string): Finding {
  const nearest = nearestFolder(home)
  try {
    accessSync(nearest, constants.W_OK)
    const problem = findOddFile(home) ?? findForeignInHome(home)
    if (problem) return { name: 'Home', state: 'broken', found: problem.found, fix: `Fix: ${problem.fix}` }
    return { name: 'Home', state: 'ok', found: existsSync(home) ? home : `${home} will be created` }
  } catch {
    return {
      name: 'Home',
      state: 'broken',
      found: `Cannot write to ${home}.`,
      fix: 'Choose another with --home.',
    }
  }
}

/** Checks the files that the settings name. */
function checkFiles(home: string, config: Config | null): Finding {
  const foreign = config && findForeignSetting(config, home)
  if (!foreign)
    return { name: 'Files', state: 'ok', found: 'files named in the settings are writable only by you' }
  const { setting, found, fix } = foreign
  return { name: 'Files', state: 'broken', found: `${setting}: ${found}`, fix: `Fix: ${fix}` }
}

function checkToken(home: string): Finding {
  const file = join(home, 'token')
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return { name: 'Token', state: 'ok', found: 'will be created at the first start' }
  if (!stat.isFile())
    return { name: 'Token', state: 'broken', found: `${file} is not a file.`, fix: 'Move it away.' }
  const isOpen = process.platform !== 'win32' && (stat.mode & 0o077) !== 0
  return isOpen
    ? {
        name: 'Token',
        state: 'broken',
        found: 'Other users of this machine can read it.',
        fix: `chmod 600 ${file}`,
      }
    : { name: 'Token', state: 'ok', found: 'readable only by you' }
}

async function checkData(home: string): Promise<Finding> {
  const { database, auditSeal } = homeAt(home)
  const unfinished = findUnfinishedRestore(home)
  if (unfinished) return { name: 'Data', state: 'broken', found: unfinished.found, fix: unfinished.fix }
  const { state, found, fix } = await inspectDatabase(database)
  if (state === 'missing' && existsSync(auditSeal))
    return {
      name: 'Data',
      state: 'broken',
      found: `${database} is missing, although this home has an audit seal.`,
      fix: 'Restore a backup with "signalbox restore FILE".',
    }
  return {
    name: 'Data',
    state: { missing: 'ok', ok: 'ok', flawed: 'warning', broken: 'broken' }[state] as Finding['state'],
    found,
    ...(fix !== undefined && { fix }),
  }
}

/** With the daemon or without it. */
async function checkAudit(home: string): Promise<Finding> {
  const { database, auditSeal } = homeAt(home)
  if (!existsSync(database)) return { name: 'Audit', state: 'ok', found: 'empty' }
  const result = await verifyDatabase(database, auditSeal)
  return result.isIntact
    ? { name: 'Audit', state: 'ok', found: `${result.rows} entries, unchanged` }
    : { name: 'Audit', state: 'broken', found: result.problem, fix: 'See "The seal" in docs/inbox.md.' }
}

/** Really writes and flushes a little: free space alone does not say that a write succeeds. */
function checkWrite(home: string): Finding {
  try {
    tryWriting(nearestFolder(home))
    return { name: 'Writing', state: 'ok', found: 'a test file could be written and flushed' }
  } catch (error) {
    const found = `Cannot write to ${home}: ${error instanceof Error ? error.message : String(error)}.`
    return {
      name: 'Writing',
      state: 'broken',
      found,
      fix: 'Free disk space, or check the permissions and the disk.',
    }
  }
}

async function checkDaemon(home: string, config: Config | null): Promise<Finding> {
  const about = await findDaemon(home)
    ?.about()
    .catch(() => null)
  if (about) {
    const { pid, version, storage } = about.about
    const found = `running (pid ${pid}), ${version}`
    if (!storage) return { name: 'Daemon', state: 'ok', found }
    const [problem = storage.message, ...fix] = storage.message.split(/(?<=\.) /)
    return { name: 'Daemon', state: 'broken', found: `${found}, but: ${problem}`, fix: fix.join(' ') }
  }
  const holder = await findHolder(homeAt(home).database)
  if (holder !== null)
    return {
      name: 'Daemon',
      state: 'broken',
      found: `A daemon uses this home (pid ${holder}), but it does not answer, or daemon.json is missing.`,
      fix: 'Restart it.',
    }
  const { host = '127.0.0.1', port = 4747 } = config ?? {}
  return (await isFree(host, port))
    ? { name: 'Daemon', state: 'ok', found: `not running; port ${port} is free` }
    : {
        name: 'Daemon',
        state: 'broken',
        found: `Port ${port} is in use by another program.`,
        fix: 'Choose another port with --port or the setting port.',
      }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

function checkDisk(home: string): Finding {
  const { bavail, bsize } = statfsSync(nearestFolder(home))
  const free = bavail * bsize
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  return free >= MIN_FREE_BYTES
    ? { name: 'Disk', state: 'ok', found }
    : { name: 'Disk', state: 'warning', found, fix: 'Free disk space, or choose another home with --home.' }
}

function checkAccount(): Finding {
  const { env } = process
  const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN']
  const named = names.find((name) => env[name])
  if (named !== undefined) return { name: 'Account', state: 'ok', found: `from ${named}` }
  if (existsSync(join(claudeFolderOf(env), '.credentials.json')))
    return { name: 'Account', state: 'ok', found: 'from the login of Claude Code' }
  const fix = 'Log in with "claude", or set ANTHROPIC_API_KEY. Until then the scripted model is used.'
  return { name: 'Account', state: 'warning', found: 'none found', fix }
}

function checkHooks(home: string): Finding {
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
      fix: 'signalbox hooks install',
    }
  return isInOrder(status)
    ? { name: 'Hooks', state: 'ok', found: 'installed' }
    : { name: 'Hooks', state: 'broken', found: 'installed, but not working', fix: 'signalbox hooks status' }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}
