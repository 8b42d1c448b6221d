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
import { checkKeeper } from '../doctor/keeper.js'
import { checkLogs } from '../doctor/logs.js'
import { checkAccount, checkClaude, checkHooks, checkNode, checkSqlite } from '../doctor/program.js'
import { checkService } from '../doctor/service.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'
import { wrap } from '../output/width.js'
import { hint } from '../own-command.js'

/** Where the text of a finding begins. */
const INDENT = 13

export async function doctor(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { env } = process
  const home = homePath(options.home, env)
  const [settings, config] = checkSettings(home)
  const checks: (() => Finding | Promise<Finding>)[] = [
    () => checkNode(),
    () => checkSqlite(),
    () => examine('Claude', () => checkClaude(config)),
    () => settings,
    () => examine('Policy', () => checkPolicy(home, config)),
    () => examine('Home', () => checkHome(home)),
    () => examine('Files', () => checkFiles(home, config)),
    () => examine('Token', () => checkToken(home)),
    () => examine('Data', () => checkData(home)),
    () => examine('Audit', () => checkAudit(home)),
    () => checkWrite(home),
    () => examine('Logs', () => checkLogs(home)),
    () => examine('Daemon', () => checkDaemon(home, config)),
    () => examine('Keeper', () => checkKeeper(home, config)),
    () => examine('Service', () => checkService(home)),
    () => examine('Disk', () => checkDisk(home)),
    () => checkAccount(),
    () => examine('Hooks', () => checkHooks(home)),
    () => examine('Jail', () => checkJail(home, config?.readOnlyJail ?? 'auto')),
  ]
  const findings: Finding[] = []
  for (const check of checks) {
    const finding = withOwnCommands(await check())
    findings.push(finding)
    if (!options.json) terminal.out(lineOf(finding, terminal))
  }
  const isWell = findings.every(({ state }) => state !== 'broken')
  if (options.json) terminal.json({ isWell, checks: findings.map(withFormerName) })
  if (isWell) return EXIT.done
  const isStorage = findings.some(({ name, state }) => state === 'broken' && STORAGE.has(name))
  return isStorage ? EXIT.storage : EXIT.failed
}

/** Commands as they work here, such as from a checkout. */
function withOwnCommands({ found, fix, ...finding }: Finding): Finding {
  return { ...finding, found: hint(found), ...(fix !== undefined && { fix: hint(fix) }) }
}

/** `cure` is the former name of `fix`; programs may read it. */
function withFormerName(finding: Finding): Finding & { cure?: string } {
  return finding.fix === undefined ? finding : { ...finding, cure: finding.fix }
}

/** Problems with reading or writing data have an exit code of their own, as with all other commands. */
const STORAGE: ReadonlySet<string> = new Set(['Home', 'Data', 'Writing', 'Logs'])

/** A check that fails itself is a finding: the others are still made. */
async function examine(name: string, check: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const found = `Check failed: ${error instanceof Error ? error.message : String(error)}.`
    return { name, state: 'broken', found, fix: 'Fix the other problems first, then run doctor again.' }
  }
}

function lineOf({ name, state, found, fix }: Finding, { color, columns }: Terminal): string {
  const mark = { ok: color.green('✓'), warning: color.yellow('!'), broken: color.red('✗') }[state]
  const lines = [found, ...(fix === undefined ? [] : [fix])].map((text) =>
    wrap(text, columns === null ? Number.POSITIVE_INFINITY : columns - INDENT),
  )
  return `${mark} ${name.padEnd(10)} ${lines.join('\n').replaceAll('\n', `\n${' '.repeat(INDENT)}`)}\n`
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
