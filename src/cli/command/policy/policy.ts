/** `signalbox policy`: shows the effective policy, explains verdicts, and replays calls against another policy. */

import { resolve } from 'node:path'
import { readConfig } from '../../../config.js'
import { homePath } from '../../../home.js'
import { rulesInForce } from '../../../policy/rule/rule-expiry.js'
import { createPolicyResolver, type PolicyResolver } from '../../../policy/source/effective-policy.js'
import { readPolicyFile } from '../../../policy/source/policy-file.js'
import { grantText } from '../../../protocol/policy/grant-text.js'
import { Preset, type Verdict } from '../../../protocol/policy/policy.js'
import { type Backtest, type Explanation, PolicyFile } from '../../../protocol/policy/policy-body.js'
import { readDate } from '../../command-date.js'
import { connect } from '../../connect.js'
import { EXIT } from '../../exit-code.js'
import { factTable } from '../../output/facts.js'
import type { Terminal } from '../../output/terminal.js'
import { type TimeOptions, timeText } from '../../output/time.js'
import { findRequestId, findSessionId } from '../../short-id.js'

interface CommonOptions extends TimeOptions {
  home?: string
  json?: boolean
}

/** Read from the files, so that it works without a daemon. */
export function openBook({ home }: CommonOptions, policy?: string): PolicyResolver {
  const path = homePath(home, process.env)
  const config = readConfig(path, {}, process.env)
  const chosen = policy === undefined || Preset.safeParse(policy).success ? policy : resolve(policy)
  return createPolicyResolver(path, { ...config, ...(chosen !== undefined && { policy: chosen }) })
}

export async function show(options: CommonOptions, terminal: Terminal): Promise<number> {
  const book = openBook(options)
  const { preset, denyFirst, autoAllowTools, rules } = book.own()
  if (options.json) {
    terminal.json({ policy: book.own(), path: book.path, always: book.always })
    return EXIT.done
  }
  terminal.out(`preset  ${preset}${denyFirst ? ', deny rules first' : ''}\nfile    ${book.path}\n`)
  if (autoAllowTools) terminal.out(`allowed automatically: ${autoAllowTools.join(', ')}\n`)
  const now = new Date().toISOString()
  for (const rule of [...rules, ...book.always]) {
    const { name, verdict, when, until } = rule
    const isOver = rulesInForce([rule], now).length === 0
    const end = until === undefined ? '' : `  ${isOver ? 'ended' : 'until'} ${timeText(until, options)}`
    terminal.out(`\n${verdict.padEnd(5)}  ${name}${end}\n`)
    const facts = Object.entries(when).map(([key, value]) => [`       ${key}`, listText(value)] as const)
    terminal.out(factTable(facts, terminal.columns))
  }
  return EXIT.done
}

function listText(value: unknown): string {
  return Array.isArray(value) ? value.map(valueText).join(', ') : valueText(value)
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export async function explain(id: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const params = { id: await findRequestId(client, id) }
  const { request } = await client.getRequest({ params })
  const { explanation } = await client.explainRequest({ params })
  if (options.json) terminal.json({ requestId: request.id, ...explanation })
  else terminal.out(`${request.title}\n${describe(explanation)}`)
  return EXIT.done
}

function describe({ verdict, findings, commands, files, grant }: Explanation): string {
  const found = findings.map(
    (finding) =>
      `  ${[finding.verdict.padEnd(4), finding.severity ?? ''].join(' ').trim()}  ${finding.rule}: ${finding.reason}`,
  )
  return [
    ...verdictText(verdict),
    // One finding is the reason itself.
    ...section('found', found.length > 1 ? found : []),
    ...section(
      'runs',
      commands.map((words) => `  ${words.join(' ')}`),
    ),
    ...section(
      'touches',
      files.map(({ access, path }) => `  ${access.padEnd(6)} ${path}`),
    ),
    `"allow for this session" covers ${grantText(grant)}`,
    '',
  ].join('\n')
}

/** The verdict, its rule and its reason. */
export function verdictText({ verdict, step, rule, reason, part }: Verdict): string[] {
  // The step is worth a word where it is not the verdict itself.
  const by = step === verdict ? '' : ` (${step})`
  return [`${verdict}  ${rule}${by}`, reason, ...(part === null ? [] : [`part: ${part.text}`])]
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines]
}

export async function backtest(
  options: CommonOptions & { policy: string; since?: string },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const preset = Preset.safeParse(options.policy)
  const policy = preset.success ? preset.data : readPolicyFile(resolve(options.policy), PolicyFile)
  const since = readDate('--since', options.since ?? '7d')
  const { backtest: result } = await client.backtestPolicy({ body: { policy, since } })
  if (options.json) terminal.json(result)
  else terminal.out(backtestText(result, options))
  return EXIT.done
}

export function backtestText(
  { since, calls, isTruncated, before, after, changes }: Backtest,
  options: TimeOptions,
): string {
  const sum = ({ allow, deny, ask }: Backtest['before']) => `${allow} allowed, ${deny} denied, ${ask} asked`
  const rows = changes.map(
    (change) =>
      `${timeText(change.at, options, 'minute')}  ${change.before.verdict} → ${change.after.verdict}\n    ${change.title}\n    ${change.after.reason}`,
  )
  return [
    `${calls} calls since ${timeText(since, options, 'minute')}${isTruncated ? ' (truncated: the oldest are not included)' : ''}`,
    `current:  ${sum(before)}`,
    `proposed: ${sum(after)}`,
    changes.length === 0
      ? 'No verdict would change.'
      : changes.length === 1
        ? '1 verdict would change:'
        : `${changes.length} verdicts would change:`,
    ...rows,
    '',
  ].join('\n')
}

export async function grants(id: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { session } = await client.getSession({ params: { id: await findSessionId(client, id) } })
  if (options.json) terminal.json({ grants: session.grants })
  else if (session.grants.length === 0) terminal.note('No grants.')
  else {
    for (const grant of session.grants)
      terminal.out(
        `${grantText(grant)}${grant.until === undefined ? '' : `  until ${timeText(grant.until, options, 'minute')}`}\n`,
      )
  }
  return EXIT.done
}

export async function revoke(
  id: string,
  tool: string,
  command: readonly string[],
  options: CommonOptions,
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const body = { tool, ...(command.length > 0 && { command: command.join(' ') }) }
  const { session } = await client.revokeGrant({ params: { id: await findSessionId(client, id) }, body })
  if (options.json) terminal.json({ grants: session.grants })
  else terminal.note('Grant revoked. These calls need approval again.')
  return EXIT.done
}
