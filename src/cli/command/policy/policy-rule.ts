/** `signalbox policy rule`: a rule from a request, with the closest calls that it would and would not allow. */

import { homePath } from '../../../home.js'
import { HubError } from '../../../protocol/error.js'
import type { PolicyRule } from '../../../protocol/policy/policy.js'
import { type NearbyVerdict, type RuleProposal, RuleScope } from '../../../protocol/policy/policy-body.js'
import { readChoice } from '../../command-options.js'
import { connect } from '../../connect.js'
import { EXIT } from '../../exit-code.js'
import type { Terminal } from '../../output/terminal.js'
import { findRequestId } from '../../short-id.js'
import { backtestText } from './policy.js'

interface RuleOptions {
  home?: string
  json?: boolean
  scope?: string
  everywhere?: boolean
  until?: string
  pattern?: string[]
  save?: boolean
  utc?: boolean
}

/** Shown with the calls near it and with recorded calls that it would affect. Saved only with --save. */
export async function makeRule(id: string, options: RuleOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const params = { id: await findRequestId(client, id) }
  const choice = {
    ...(options.scope !== undefined && { scope: readChoice('--scope', options.scope, RuleScope.options) }),
    place: options.everywhere ? ('everywhere' as const) : ('folder' as const),
    ...(options.until !== undefined && { until: endOf(options.until) }),
  }
  let { proposal } = await client.proposeRule({ params, body: choice })
  if (proposal.rule === null)
    throw new HubError(
      'request_invalid',
      'No rule can name this call. Allow it once, or for the session with "signalbox allow --all".',
    )
  if (options.pattern !== undefined) {
    const rule = withPatterns(proposal.rule, options.pattern)
    proposal = (await client.proposeRule({ params, body: { rule } })).proposal
  }
  const rule = proposal.rule ?? undefined
  if (rule === undefined) return EXIT.failed
  const { policy } = await client.getPolicy()
  const others = policy.rules.filter(({ name }) => name !== rule.name)
  const { backtest } = await client.backtestPolicy({
    body: { policy: { ...policy, rules: [...others, rule] } },
  })
  if (options.save) await client.addPolicyRule({ body: rule })
  if (options.json) terminal.json({ ...proposal, preview: backtest, isSaved: options.save === true })
  else {
    terminal.out(`${JSON.stringify(rule, null, 2)}\n${describe(proposal)}${backtestText(backtest, options)}`)
    terminal.note(options.save ? 'Saved in the policy.' : 'Not saved. Add --save to save it in the policy.')
  }
  return EXIT.done
}

function withPatterns(rule: PolicyRule, patterns: string[]): PolicyRule {
  const when =
    rule.when.paths === undefined ? { ...rule.when, commands: patterns } : { ...rule.when, paths: patterns }
  return {
    ...rule,
    name: `allow ${rule.when.tools?.join(', ') ?? ''}: ${patterns.join(', ')}`.slice(0, 100),
    when,
  }
}

function describe({ isCovering, nearby, scopes, scope }: RuleProposal): string {
  const line = ({ title, severity }: NearbyVerdict) =>
    `  ${title}${severity === 'destructive' ? '  (destructive)' : ''}`
  const wouldAllow = nearby.filter(({ before, after }) => before !== 'allow' && after === 'allow')
  const wouldNot = nearby.filter(({ after }) => after !== 'allow')
  return [
    ...(scope === null ? [] : [`scope: ${scope} (of ${scopes.join(', ')})`]),
    ...(isCovering ? [] : ['The policy would still ask about this request: no rule lifts its effects.']),
    'would also allow:',
    ...(wouldAllow.length === 0 ? ['  nothing near it'] : wouldAllow.map(line)),
    'would not allow:',
    ...wouldNot.map(line),
    '',
  ].join('\n')
}

/** `8h`, `7d`, or a date and time. */
function endOf(text: string): string {
  const [, count, unit] = /^(\d{1,4})([dhm])$/.exec(text) ?? []
  const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000 }[unit ?? ''] ?? 0
  const time = count === undefined ? Date.parse(text) : Date.now() + Number(count) * unitMs
  if (Number.isNaN(time))
    throw new HubError('request_invalid', `Invalid --until "${text}". Use 8h, 7d or 2026-12-31T18:00.`)
  return new Date(time).toISOString()
}
