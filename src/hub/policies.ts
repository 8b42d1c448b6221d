/** The policy for users: the rules in force, the verdict on a call and why, and the verdicts of another policy. */

import { auditEntry } from '../audit/entry.js'
import type { Bus } from '../bus/port.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import type { PolicyResolver } from '../policy/source/effective-policy.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import { HubError } from '../protocol/error.js'
import type { Policy, PolicyRule, Preset } from '../protocol/policy/policy.js'
import type {
  Backtest,
  BacktestPolicy,
  EvaluateCall,
  Explanation,
  PolicyFile,
  PolicyInForce,
  PreviewRule,
  ProposeRule,
  RevokeGrant,
  RulePreview,
  RuleProposal,
  SuggestedRule,
} from '../protocol/policy/policy-body.js'
import type { InboxRequest } from '../protocol/request.js'
import type { CallPlace, CallToJudge } from '../protocol/runner-command.js'
import type { Session } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import { isTrusted } from '../protocol/workspace.js'
import type { Store } from '../store/port.js'
import { comparePolicies } from './backtest.js'
import type { PolicyWatch } from './port.js'

export interface PoliciesDeps {
  book: PolicyResolver
  watch?: PolicyWatch | undefined
  store: Store
  journal: Journal
  clock: Clock
  bus: Bus
  session(id: string): Promise<Session>
  request(id: string): Promise<InboxRequest>
}

export interface Policies {
  show(): PolicyInForce
  replace(file: PolicyFile, actor: Actor): Promise<PolicyInForce>
  addRule(rule: PolicyRule, actor: Actor): Promise<PolicyInForce>
  evaluate(call: EvaluateCall): Promise<Explanation>
  /** Why a request was asked, by the policy in force now. */
  explain(requestId: string): Promise<Explanation>
  backtest(command: BacktestPolicy): Promise<Backtest>
  suggestRule(requestId: string): Promise<SuggestedRule>
  /** A rule from a request, by the choices of a user, and what it would change for the closest calls. */
  proposeRule(requestId: string, choice: ProposeRule): Promise<RuleProposal>
  /** The effect of a rule that no request has led to, on an example. */
  previewRule(command: PreviewRule): Promise<RulePreview>
  revokeGrant(sessionId: string, grant: RevokeGrant, actor: Actor): Promise<Session>
}

function absoluteFolder({ when: { workspaces = [] } }: PolicyRule): string | undefined {
  return workspaces.find((folder) => folder.startsWith('/') && !/[*?[{]/.test(folder))
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

export function createPolicies(deps: PoliciesDeps): Policies {
  const { book, store, bus, journal, clock } = deps

  const show = (): PolicyInForce => ({ policy: book.own(), path: book.path, always: [...book.always] })

  const chosen = (policy: Preset | PolicyFile | undefined): Policy => {
    if (policy === undefined) return book.own()
    if (typeof policy === 'string') return { ...book.own(), preset: policy }
    return book.fill(policy)
  }

  async function placeOf(machine: string, workspace: string, preset: Preset | null): Promise<CallPlace> {
    return { workspace, preset, isTrusted: isTrusted(workspace, await store.trustedWorkspaces(machine)) }
  }

  const placeOfSession = ({ machine, cwd, policy }: Session) => placeOf(machine, cwd, policy)

  function callIn(session: Session, tool: string, input: unknown): CallToJudge {
    return {
      tool,
      input,
      mode: session.permissionMode,
      cwd: session.cwd,
      grants: session.grants,
      now: new Date(clock.now()).toISOString(),
    }
  }

  async function judge({ tool, input, cwd, sessionId, mode, agent, policy, jail }: EvaluateCall) {
    const session = sessionId === undefined ? null : await deps.session(sessionId)
    const folder = cwd ?? session?.cwd
    if (folder === undefined)
      throw new HubError(
        'request_invalid',
        'The working directory of the call is missing. Send cwd or sessionId.',
      )
    if (!folder.startsWith('/'))
      throw new HubError('request_invalid', 'cwd is not an absolute path. Send an absolute path.', {
        cwd: folder,
      })
    const workspace = session?.cwd ?? folder
    const call: CallToJudge = {
      ...(session && callIn(session, tool, input)),
      tool,
      input,
      cwd: folder,
      workspace,
      mode: mode ?? session?.permissionMode ?? 'default',
      agent: agent ?? null,
      jail: jail === true,
      now: new Date(clock.now()).toISOString(),
    }
    const machine = session?.machine ?? LOCAL_MACHINE
    const place = await placeOf(machine, workspace, policy === undefined ? (session?.policy ?? null) : null)
    return bus.call({ type: 'policy.explain', call, place, policy: chosen(policy) })
  }

  async function askedCall(requestId: string) {
    const { sessionId, toolName, input, grant } = await deps.request(requestId)
    const session = await deps.session(sessionId)
    return { session, call: callIn(session, toolName, input), grant }
  }

  const compare = (before: Policy, after: Policy, since: string): Promise<Backtest> =>
    comparePolicies(before, after, since, { ...deps, placeOf: placeOfSession })

  /** Written down before it holds, so that no change goes without it. */
  async function note(actor: Actor, subject: string, change: unknown): Promise<void> {
    const at = new Date(clock.now()).toISOString()
    const changedDigest = digest(JSON.stringify(change))
    const fields = { ...actor, by: 'person', subject, verdict: 'changed', changedDigest }
    await store.addAudit(auditEntry({ at, kind: 'policy.changed', ...fields }))
  }

  const weekAgo = () => new Date(clock.now() - WEEK_MS).toISOString()

  return {
    show,
    async replace(file, actor) {
      book.fill(file)
      await note(actor, 'policy', file)
      book.replace(file)
      await deps.watch?.accept()
      return show()
    },
    async addRule(rule, actor) {
      await note(actor, rule.name, rule)
      book.addRule(rule)
      await deps.watch?.accept()
      return show()
    },
    evaluate: judge,
    async explain(requestId) {
      const { session, call, grant } = await askedCall(requestId)
      const place = await placeOfSession(session)
      const explanation = await bus.call({ type: 'policy.explain', call, place, policy: book.own() })
      // An answer grants exactly the grant that the request has shown.
      return grant ? { ...explanation, grant } : explanation
    },
    backtest: ({ policy, since = weekAgo() }) => compare(book.own(), chosen(policy), since),
    async suggestRule(requestId) {
      const { call } = await askedCall(requestId)
      const rule = await bus.call({ type: 'policy.suggest', call })
      const own = book.own()
      const preview = await compare(own, { ...own, rules: [...own.rules, rule] }, weekAgo())
      return { requestId, rule, preview }
    },
    async proposeRule(requestId, choice) {
      const { session, call } = await askedCall(requestId)
      const place = await placeOfSession(session)
      const proposal = await bus.call({ type: 'policy.propose', call, place, policy: book.own(), choice })
      return { requestId, ...proposal }
    },
    async previewRule({ rule, cwd = absoluteFolder(rule), call: example, policy }) {
      if (cwd === undefined || !cwd.startsWith('/'))
        throw new HubError(
          'request_invalid',
          'The folder of the example is missing. Send cwd, an absolute path.',
        )
      return bus.call({
        type: 'policy.preview',
        rule,
        cwd,
        ...(example && { example }),
        now: new Date(clock.now()).toISOString(),
        place: await placeOf(LOCAL_MACHINE, cwd, null),
        policy: chosen(policy),
      })
    },
    async revokeGrant(sessionId, grant, by) {
      const { id, grants } = await deps.session(sessionId)
      const isThere = grants.some(({ tool, command }) => tool === grant.tool && command === grant.command)
      if (!isThere) {
        throw new HubError(
          'grant_not_found',
          `Session ${id} has no such grant. List them with "signalbox policy grants ${id}".`,
          {
            sessionId: id,
            grant,
          },
        )
      }
      await journal.append(id, [{ type: 'grant.revoked', data: { ...grant, by } }])
      return deps.session(id)
    },
  }
}
