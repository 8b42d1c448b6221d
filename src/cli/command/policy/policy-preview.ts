/** `signalbox policy preview`: the effect of a rule on an example and on the calls close to it. Saves nothing. */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { printable } from '../../../lib/text/printable.js'
import { HubError } from '../../../protocol/error.js'
import { PolicyRule } from '../../../protocol/policy/policy.js'
import type { RulePreview } from '../../../protocol/policy/policy-body.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { oneLine } from '../../output/text.js'

type PreviewOptions = CommandOptions & { cwd?: string; tool?: string; input?: string }

export async function preview(file: string, options: PreviewOptions, terminal: Terminal): Promise<number> {
  const { cwd = process.cwd(), tool, input } = options
  if ((tool === undefined) !== (input === undefined))
    throw new HubError('request_invalid', 'Pass --tool and --input together.')
  const rule = readRule(file)
  const call =
    tool !== undefined && input !== undefined ? { call: { tool, input: parse('--input', input) } } : {}
  const { preview: found } = await clientFor(options).previewRule({
    body: { rule, cwd: resolve(cwd), ...call },
  })
  if (options.json) terminal.json(found)
  else terminal.out(previewTable(found, terminal.columns))
  return EXIT.done
}

function previewTable({ call, before, after, severity, nearby }: RulePreview, width: number | null): string {
  const rows = [{ title: call.title, before, after, severity }, ...nearby]
  return table(
    [
      { title: 'call', minWidth: 16, wraps: true },
      { title: 'without' },
      { title: 'with the rule' },
      { title: 'severity', dropsAt: 1 },
    ],
    rows.map((row) => [oneLine(row.title), row.before, row.after, row.severity ?? '']),
    { width },
  )
}

function readRule(file: string): PolicyRule {
  const rule = PolicyRule.safeParse(parse(file, textOf(file)))
  if (rule.success) return rule.data
  const [issue] = rule.error.issues
  throw new HubError(
    'request_invalid',
    printable(`${file} is not a rule: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`),
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new HubError('request_invalid', printable(`Cannot read the file ${file}.`), {}, { cause })
  }
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new HubError('request_invalid', printable(`${name} is not JSON.`), {}, { cause })
  }
}
