/** The policy for users: the rules in force, the verdict on a call and why, and the verdicts of another policy. */

import { auditEntry } from '../audit/entry.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import { FairQueue } from '../lib/fair-queue.js'
import type { PolicyCall } from '../policy/call.js'
import { evaluate } from '../policy/evaluate.js'
import { explain } from '../policy/explain.js'
import { nodeFileSystem } from '../policy/file/node-file-system.js'
import { previewRule, type RulePreview } from '../policy/proposal/preview-rule.js'
import { proposeRule, scopesFor } from '../policy/proposal/propose-rule.js'
import { suggestRule } from '../policy/rule/suggest-rule.js'
import type { PolicyPlace, PolicyResolver } from '../policy/source/effective-policy.js'
import { HubError } from '../protocol/error.js'
import type { Policy, PolicyRule, Preset, Verdict } from '../protocol/policy/policy.js'
import type {
  Backtest,
  BacktestPolicy,
  EvaluateCall,
  Explanation,
  PolicyFile,
  PolicyInForce,
  ProposeRule,
  RevokeGrant,
  RuleProposal,
  SuggestedRule,
} from '../protocol/policy/policy-body.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Session } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import { describeCall } from '../protocol/view/describe.js'
import type { Store } from '../store/port.js'
import type { PolicyWatch } from './policy-watch.js'
import { type RecordedCall, recordedCalls } from './recorded-call.js'

export interface PoliciesDeps {
  book: PolicyResolver
  watch?: PolicyWatch | undefined
  store: Store
  journal: Journal
  clock: Clock
  /** The home of the user that the CLI runs as. */
  userHome: string
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
  revokeGrant(sessionId: string, grant: RevokeGrant, actor: Actor): Promise<Session>
}

const NO_PREVIEW: RulePreview = { isCovering: false, nearby: [] }
const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const MAX_CALLS = 20_000
const MAX_CHANGES = 1_000

export function createPolicies(deps: PoliciesDeps): Policies {
  const { book, store, journal, clock, userHome } = deps
  /** A verdict may take 20 ms, so each has a turn of the event loop of its own, however many are asked for at once. */
  const turns = new FairQueue()

  const show = (): PolicyInForce => ({ policy: book.own(), path: book.path, always: [...book.always] })

  const chosen = (policy: Preset | PolicyFile | undefined): Policy => {
    if (policy === undefined) return book.own()
    if (typeof policy === 'string') return { ...book.own(), preset: policy }
    return book.fill(policy)
  }

  async function placeOf(workspace: string, preset: Preset | null): Promise<PolicyPlace> {
    const trusted = await store.trustedWorkspaces()
    const isTrusted = trusted.some(({ path }) => workspace === path || workspace.startsWith(`${path}/`))
    return { workspace, preset, isTrusted }
  }

  function callIn(session: Session, tool: string, input: unknown): PolicyCall {
    return {
      tool,
      input,
      mode: session.permissionMode,
      cwd: session.cwd,
      home: userHome,
      grants: session.grants,
      now: new Date(clock.now()).toISOString(),
      fs: nodeFileSystem(),
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
    const call: PolicyCall = {
      ...(session && callIn(session, tool, input)),
      tool,
      input,
      cwd: folder,
      workspace,
      home: userHome,
      mode: mode ?? session?.permissionMode ?? 'default',
      agent: agent ?? null,
      jail: jail === true,
      now: new Date(clock.now()).toISOString(),
      fs: nodeFileSystem(),
    }
    const place = await placeOf(workspace, policy === undefined ? (session?.policy ?? null) : null)
    await turns.pass()
    return explain(call, book.withOwn(chosen(policy), place))
  }

  async function askedCall(requestId: string) {
    const { sessionId, toolName, input, grant } = await deps.request(requestId)
    const session = await deps.session(sessionId)
    return { session, call: callIn(session, toolName, input), grant }
  }

  /** The same calls under two policies. Grants are left out: they are decisions of a user, not of a policy. */
  async function compare(before: Policy, after: Policy, since: string): Promise<Backtest> {
    const { calls, isTruncated } = await recordedCalls(store, since, MAX_CALLS)
    const verdicts = createJudge()
    const counts = { before: { allow: 0, deny: 0, ask: 0 }, after: { allow: 0, deny: 0, ask: 0 } }
    const changes: Backtest['changes'] = []
    for (const call of calls) {
      const judged = await verdicts(call, before, after)
      if (judged === null) continue
      counts.before[judged.before.verdict]++
      counts.after[judged.after.verdict]++
      if (judged.before.verdict !== judged.after.verdict) changes.push(judged.change)
    }
    return { since, calls: calls.length, isTruncated, ...counts, changes: changes.slice(-MAX_CHANGES) }
  }

  function createJudge() {
    const sessions = new Map<string, { session: Session; place: PolicyPlace } | null>()
    const placeOfSession = async (id: string) => {
      const known = sessions.get(id)
      if (known !== undefined) return known
      const session = await store.session(id)
      const found = session && { session, place: await placeOf(session.cwd, session.policy ?? null) }
      sessions.set(id, found)
      return found
    }
    return async (recorded: RecordedCall, before: Policy, after: Policy) => {
      const found = await placeOfSession(recorded.sessionId)
      if (!found) return null
      const { session, place } = found
      await turns.pass()
      const { sessionId, toolUseId, at, tool, input, mode, agent, outcome } = recorded
      const now = new Date(clock.now()).toISOString()
      const call = { tool, input, mode, agent, cwd: session.cwd, home: userHome, now, fs: nodeFileSystem() }
      const verdict = (policy: Policy): Verdict => evaluate(call, book.withOwn(policy, place))
      const both = { before: verdict(before), after: verdict(after) }
      const title = describeCall(tool, input, session.cwd)
      return { ...both, change: { sessionId, toolUseId, at, tool, title, outcome, ...both } }
    }
  }

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
      const place = await placeOf(session.cwd, session.policy ?? null)
      await turns.pass()
      const explanation = explain(call, book.at(place))
      // An answer grants exactly the grant that the request has shown.
      return grant ? { ...explanation, grant } : explanation
    },
    backtest: ({ policy, since = weekAgo() }) => compare(book.own(), chosen(policy), since),
    async suggestRule(requestId) {
      const { call } = await askedCall(requestId)
      const rule = suggestRule(call)
      const own = book.own()
      const preview = await compare(own, { ...own, rules: [...own.rules, rule] }, weekAgo())
      return { requestId, rule, preview }
    },
    async proposeRule(requestId, { scope, place = 'folder', until, rule: edited }) {
      const { session, call } = await askedCall(requestId)
      const policy = book.at(await placeOf(session.cwd, session.policy ?? null))
      await turns.pass()
      const scopes = scopesFor(call)
      const used = scope !== undefined && scopes.includes(scope) ? scope : (scopes[0] ?? null)
      const proposed =
        used === null ? null : proposeRule(call, { scope: used, isInFolder: place === 'folder', until })
      const rule = edited ?? proposed
      await turns.pass()
      const preview = rule === null ? NO_PREVIEW : previewRule(call, policy, rule)
      return { requestId, scopes, scope: edited === undefined ? used : null, rule, ...preview }
    },
    async revokeGrant(sessionId, grant, by) {
      const { id, grants } = await deps.session(sessionId)
      const isThere = grants.some(({ tool, command }) => tool === grant.tool && command === grant.command)
      if (!isThere) {
        throw new HubError(
          'grant_not_found',
          `Session ${id} has no such grant. Its snapshot lists its grants.`,
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
