/** Answers questions about verdicts on the machine of the agents, whose files they depend on. */

import { FairQueue } from '../lib/fair-queue.js'
import { asRecord, asText } from '../lib/read-json.js'
import { HubError } from '../protocol/error.js'
import type { Policy, Verdict } from '../protocol/policy/policy.js'
import type { CallToJudge, RunnerCommand, RunnerReply } from '../protocol/runner-command.js'
import { describeCall } from '../protocol/view/describe.js'
import type { PolicyCall } from './call.js'
import { evaluate } from './evaluate.js'
import { explain } from './explain.js'
import { nodeFileSystem } from './file/node-file-system.js'
import { previewRule } from './proposal/preview-rule.js'
import { proposeRule, scopesFor } from './proposal/propose-rule.js'
import { sampleCall } from './proposal/sample-call.js'
import { suggestRule } from './rule/suggest-rule.js'
import type { PolicyResolver } from './source/effective-policy.js'

type Question = 'policy.explain' | 'policy.judge' | 'policy.suggest' | 'policy.propose' | 'policy.preview'

export type PolicyAnswers = {
  [Name in Question]: (command: RunnerCommand<Name>) => Promise<RunnerReply<Name>>
}

/** A command as it is: the calls near it are listed in the same way. */
function titleOf(tool: string, input: unknown, cwd: string): string {
  return asText(asRecord(input)['command']) ?? describeCall(tool, input, cwd)
}

/** `home`: that of the user that the agents run as. */
export function createPolicyAnswers(policies: Pick<PolicyResolver, 'withOwn'>, home: string): PolicyAnswers {
  /** A verdict may take 20 ms, so each has a turn of the event loop of its own, however many are asked for at once. */
  const turns = new FairQueue()
  const here = (call: CallToJudge): PolicyCall => ({ ...call, home, fs: nodeFileSystem() })

  return {
    async 'policy.explain'({ call, place, policy }) {
      await turns.pass()
      return explain(here(call), policies.withOwn(policy, place))
    },
    async 'policy.judge'({ calls, before, after }) {
      const verdicts: { before: Verdict; after: Verdict }[] = []
      for (const { call, place } of calls) {
        await turns.pass()
        const judge = (policy: Policy) => evaluate(here(call), policies.withOwn(policy, place))
        verdicts.push({ before: judge(before), after: judge(after) })
      }
      return verdicts
    },
    'policy.suggest': async ({ call }) => suggestRule(here(call)),
    async 'policy.propose'({ call: plain, place, policy: own, choice }) {
      const call = here(plain)
      const policy = policies.withOwn(own, place)
      const { scope, place: where = 'folder', until, rule: edited } = choice
      await turns.pass()
      const scopes = scopesFor(call)
      const used = scope !== undefined && scopes.includes(scope) ? scope : (scopes[0] ?? null)
      const proposed =
        used === null ? null : proposeRule(call, { scope: used, isInFolder: where === 'folder', until })
      const rule = edited ?? proposed
      await turns.pass()
      const judged = rule && previewRule(call, policy, rule)
      return {
        scopes,
        scope: edited === undefined ? used : null,
        rule,
        isCovering: judged?.after === 'allow',
        nearby: judged?.nearby ?? [],
      }
    },
    async 'policy.preview'({ rule, cwd, example: given, now, place, policy }) {
      const example = given ?? sampleCall(rule, cwd)
      if (example === null)
        throw new HubError('request_invalid', 'The rule is about every call: it has no example. Send call.')
      const { tool, input } = example
      const call = here({ tool, input, mode: 'default', cwd, now })
      await turns.pass()
      const judged = previewRule(call, policies.withOwn(policy, place), rule)
      return { call: { tool, input, title: titleOf(tool, input, cwd) }, ...judged }
    },
  }
}
