/** Entry point: from the text of a command to all findings about it. Never throws. */

import { parse } from 'unbash'
import { BudgetUsedUp, spend } from '../../lib/step-budget.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'
import { withBudget } from '../budget.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { deception } from '../file/suspicious.js'
import type { Finding, FindingRule } from '../finding.js'
import { findForkBomb } from './fork-bomb.js'
import { ShellInterpreter } from './interpreter.js'
import { MAX_LENGTH, ReadingEnded, tooLarge } from './limit.js'
import type { ShellReport } from './shell-report.js'
import { walkScript } from './walk.js'

/** No findings: the command only reads. */
export function readShell(text: string, environment: CallEnvironment): ShellReport {
  return withBudget(() => read(text, environment))
}

function read(text: string, environment: CallEnvironment): ShellReport {
  if (text.length > MAX_LENGTH) return nothing(problem('too-large', reason('shell.too-long')))
  if (text.trim() === '') return nothing(problem('malformed', reason('shell.empty')))
  const hidden = deception(text)
  const problems = hidden === null ? [] : [problem('look-alike', hidden.reason, text, hidden.at)]
  if (!text.includes('\0')) return withProblems(problems, readText(text, environment))
  // A lower layer may truncate the text at a NUL or drop the NUL, so every reading is judged.
  const ways = [
    text.replaceAll('\0', ''),
    text.slice(0, text.indexOf('\0')),
    text.slice(text.indexOf('\0') + 1),
  ]
  const reports = ways.map((way) => readText(way, environment))
  return withProblems(problems, {
    findings: reports.flatMap(({ findings }) => findings),
    commands: reports[0]?.commands ?? [],
    uses: reports[0]?.uses ?? [],
  })
}

function withProblems(problems: readonly Finding[], report: ShellReport): ShellReport {
  return problems.length === 0 ? report : { ...report, findings: [...problems, ...report.findings] }
}

function readText(text: string, environment: CallEnvironment): ShellReport {
  const size = tooLarge(text)
  if (size !== null) return nothing(problem('too-large', size))
  const context = new ShellInterpreter(environment, text)
  try {
    spend(text.length / 2)
    const script = parse(text)
    walkScript(context, script, text)
    if (script.commands.length === 0 && context.findings.length === 0 && !isComment(text)) {
      context.ask('malformed', reason('shell.empty'), [0, text.length])
    }
  } catch (error) {
    const isLimit =
      error instanceof BudgetUsedUp || error instanceof ReadingEnded || error instanceof RangeError
    const why = isLimit ? reason('shell.too-large') : reason('shell.unreadable')
    context.findings.push(problem(isLimit ? 'too-large' : 'unreadable', why))
  }
  const bomb = findForkBomb(context)
  if (bomb !== null) {
    const part = { text, start: 0, end: text.length }
    const why = reason('shell.fork-bomb', { name: bomb })
    context.findings.push({ verdict: 'deny', rule: 'fork-bomb', reason: why, part, command: null })
  }
  return { findings: context.findings, commands: context.commands, uses: context.uses }
}

function isComment(text: string): boolean {
  return text.split('\n').every((line) => /^[ \t]*(?:#|$)/.test(line))
}

function nothing(finding: Finding): ShellReport {
  return { findings: [finding], commands: [], uses: [] }
}

function problem(rule: FindingRule, why: Reason, text = '', at: number | null = null): Finding {
  const part = at === null ? null : { text: text.slice(at, at + 1), start: at, end: at + 1 }
  return { verdict: 'ask', rule, reason: why, part, command: null }
}
