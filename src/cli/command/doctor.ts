/** `signalbox doctor`: checks the setup and suggests fixes. */

import { type Config, readConfig } from '../../config.js'
import { homePath } from '../../home.js'
import { createPolicyResolver } from '../../policy/source/effective-policy.js'
import type { CommandOptions } from '../command-options.js'
import { checkDaemon } from '../doctor/daemon.js'
import type { Finding } from '../doctor/finding.js'
import {
  checkAudit,
  checkData,
  checkDisk,
  checkFiles,
  checkHome,
  checkToken,
  checkWrite,
} from '../doctor/home.js'
import { checkJail } from '../doctor/jail.js'
import { checkAccount, checkClaude, checkHooks, checkNode, checkSqlite } from '../doctor/program.js'
import { checkSdkLog } from '../doctor/sdk-log.js'
import { checkService } from '../doctor/service.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../terminal.js'

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
    await examine('Service', () => checkService(home)),
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
