/**
 * The two presets. `careful` denies first, in every mode. `classic` keeps the exact order of steps that preceded it.
 */

import { asRecord, asText } from '../lib/read-json.js'
import type { Policy, PolicyRule, Step, Verdict } from '../protocol/policy/policy.js'
import { quoted, type Reason, reason, reasonText, saying, withPart } from '../protocol/reason/reason.js'
import type { PolicyCall } from './call.js'
import { type Finding, isOrdinaryEffect, worst } from './finding.js'
import type { Proof } from './proof/prove.js'
import { allowingRule, proofOf, structureProof } from './rule/allowance.js'
import { isGranted } from './rule/grant.js'
import { type Facts, holds, lifts, mayHold } from './rule/match-rule.js'
import { EDIT_TOOLS, SHELL_TOOLS } from './tool/judge-tool.js'

/** Tools that only the user can answer. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** Findings about input that cannot be read. No mode allows it, because it cannot be shown to be harmless. */
const UNREADABLE: ReadonlySet<Finding['rule']> = new Set(['malformed', 'unreadable', 'too-large'])

/**
 * Deny beats ask, ask beats allow. No mode, grant or allow rule overrides a denial. Without a reason to allow, the
 * policy asks the user.
 */
export function careful(facts: Facts, policy: Policy): Verdict {
  const { call, judged } = facts
  const denied = worst(judged.findings.filter(({ verdict }) => verdict === 'deny'))
  if (denied !== null) return fromFinding('deny', 'autoDeny', denied)
  const forbidden = firstRule(policy, 'deny', facts)
  if (forbidden !== null) return fromRule('rule', forbidden)
  if (FOR_A_PERSON.has(call.tool)) return personal(call)
  if (escapesSandbox(call)) return escape()
  const asked = firstRule(policy, 'ask', facts)
  if (asked !== null) return orDeny(call, fromRule('rule', asked))
  const doubtful = policy.rules.find((rule) => rule.verdict !== 'allow' && mayHold(rule, facts))
  if (doubtful !== undefined) return orDeny(call, { ...fromRule('rule', doubtful), verdict: 'ask' })
  const unreadable = worst(judged.findings.filter(({ rule }) => UNREADABLE.has(rule)))
  if (unreadable !== null) return orDeny(call, fromFinding('ask', 'ask', unreadable))
  if (call.mode === 'bypassPermissions') return allow('bypassPermissions', 'mode', reason('mode.bypass'))
  if (
    call.mode === 'acceptEdits' &&
    EDIT_TOOLS.has(call.tool) &&
    judged.findings.every(({ rule }) => rule === 'write')
  ) {
    return allow('acceptEdits', 'mode', reason('mode.edits'))
  }
  return withGrantsAndRules(facts, policy)
}

const AUTO_ALLOWED = ['Read', 'Glob', 'Grep', 'WebSearch', 'WebFetch', 'TodoWrite']
/** The tools that the mode `acceptEdits` has always allowed. */
const ACCEPTED: ReadonlySet<string> = new Set(['Edit', 'Write', 'Bash', 'NotebookEdit'])
/** The findings that `classic` denies as dangerous; it asks about the rest of what `careful` denies. */
const DANGEROUS: ReadonlySet<Finding['rule']> = new Set([
  'destroy-tree',
  'disk',
  'power',
  'fork-bomb',
  'reverse-shell',
  'unseen-code',
  'system-file',
])

/**
 * Order: bypass, accepted edits, allowed tools, denied patterns, ask; with `denyFirst` the denied patterns come first.
 */
export function classic(facts: Facts, policy: Policy): Verdict {
  const { call } = facts
  if (call.tool === 'AskUserQuestion') return personal(call)
  const denied = classicDenial(facts, policy)
  if (policy.denyFirst && denied !== null) return denied
  if (escapesSandbox(call)) return denied ?? escape()
  if (call.mode === 'bypassPermissions') return allow('bypassPermissions', 'mode', reason('mode.bypass'))
  if (call.mode === 'acceptEdits' && ACCEPTED.has(call.tool))
    return allow('acceptEdits', 'mode', reason('mode.all-edits'))
  if ((policy.autoAllowTools ?? AUTO_ALLOWED).includes(call.tool))
    return allow('autoAllow', 'tool', reason('tool.always', { tool: call.tool }))
  if (denied !== null) return denied
  const asked = firstRule(policy, 'ask', facts)
  if (asked !== null) return orDeny(call, fromRule('rule', asked))
  if (isGranted(facts)) return allow('grant', 'grant', reason('grant.before'))
  const allowed = policy.rules.find((rule) => allowingRule(facts, [rule]) !== null)
  if (allowed !== undefined) return fromRule('rule', allowed)
  return orDeny(call, ask('tool', reason('tool.no-rule', { tool: call.tool })))
}

function classicDenial(facts: Facts, policy: Policy): Verdict | null {
  const { call, judged } = facts
  const denials = judged.findings.filter(({ verdict }) => verdict === 'deny')
  if (call.tool === 'Edit' || call.tool === 'Write') {
    const found = worst(denials)
    if (found !== null)
      return { ...fromFinding('deny', 'autoDeny', found), ...saying(reason('classic.protected')) }
  }
  if (SHELL_TOOLS.has(call.tool)) {
    const found = worst(denials.filter(({ rule }) => DANGEROUS.has(rule)))
    if (found !== null)
      return { ...fromFinding('deny', 'autoDeny', found), ...saying(reason('classic.dangerous')) }
  }
  const rule = firstRule(policy, 'deny', facts)
  return rule === null ? null : fromRule('rule', rule)
}

function withGrantsAndRules(facts: Facts, policy: Policy): Verdict {
  const { call, judged } = facts
  const proof = judged.findings.every(({ isProvable }) => isProvable === true) ? proofOf(facts) : null
  if (proof?.isProven) return allow('autoAllow', 'read-only', reason('read-only'))
  if (policy.autoAllowTools?.includes(call.tool) && judged.findings.every(isOrdinaryEffect)) {
    return allow('autoAllow', 'tool', reason('tool.always', { tool: call.tool }))
  }
  if (isGranted(facts)) return allow('grant', 'grant', reason('grant.before'))
  const rule = allowingRule(facts, policy.rules)
  if (rule !== null) return fromRule('rule', rule)
  if (fitsJail(call, judged.findings)) return inJail()
  const lifting = policy.rules.map((allowing) => lifts(allowing, facts))
  const found = worst(judged.findings.filter((finding) => !lifting.some((isLifted) => isLifted(finding))))
  if (found !== null) return orDeny(call, fromFinding('ask', 'ask', found))
  return orDeny(call, unproven(call, proof ?? structureProof(facts, () => true)))
}
function firstRule({ rules }: Policy, verdict: PolicyRule['verdict'], facts: Facts): PolicyRule | null {
  return rules.find((rule) => rule.verdict === verdict && holds(rule, facts)) ?? null
}

/** A session that may not ask the user denies instead. */
function orDeny({ mode }: PolicyCall, verdict: Verdict): Verdict {
  if (mode !== 'dontAsk') return verdict
  const { reason: text, reasonParts: parts = [] } = verdict
  const first = saying(reason('mode.no-ask'))
  return {
    ...verdict,
    verdict: 'deny',
    step: 'dontAsk',
    reason: `${first.reason} ${text}`,
    reasonParts: [...first.reasonParts, ...parts],
  }
}

function allow(step: Step, rule: string, why: Reason): Verdict {
  return { verdict: 'allow', step, rule, ...saying(why), part: null }
}

/** The command has no findings, but the proof does not understand its text. */
function unproven({ input }: PolicyCall, proof: Proof): Verdict {
  const { reason: why, at } = proof.isProven ? { reason: reason('proof.no-rule'), at: null } : proof
  const text = asText(asRecord(input)['command']) ?? ''
  const part =
    at === null ? null : { text: text.slice(at, at + 1), start: at, end: Math.min(at + 1, text.length) }
  const word = /^\s*\S*/.exec(text.slice(at ?? 0))?.[0] ?? ''
  return { ...ask('unproven', withPart(why, word)), part }
}

function inJail(): Verdict {
  return { ...allow('autoAllow', 'jail', reason('jail.contained')), jail: true }
}

function ask(rule: string, why: Reason): Verdict {
  return { verdict: 'ask', step: 'ask', rule, ...saying(why), part: null }
}

function personal({ tool }: PolicyCall): Verdict {
  return {
    verdict: 'ask',
    step: 'person',
    rule: 'for-a-person',
    ...saying(reason('user.only', { tool })),
    part: null,
  }
}

function escape(): Verdict {
  return {
    verdict: 'ask',
    step: 'sandbox',
    rule: 'sandbox-escape',
    ...saying(reason('sandbox.leave')),
    part: null,
  }
}

function fromFinding(verdict: 'deny' | 'ask', step: Step, { rule, reason: why, part }: Finding): Verdict {
  return { verdict, step, rule, ...saying(why), part }
}

export function fromRule(step: Step, { name, verdict, reason: text }: PolicyRule): Verdict {
  const why =
    text === undefined
      ? reason('rule.named', { rule: name })
      : (OWN_RULES.get(text) ?? quoted('rule.says', text))
  return { verdict, step, rule: name, ...saying(why), part: null }
}

/** The reasons of our own rules, which are translated. */
const OWN_RULES: ReadonlyMap<string, Reason> = new Map(
  [reason('rule.own-files'), reason('rule.conversation')].map((why) => [reasonText([why]), why]),
)

function escapesSandbox(call: PolicyCall): boolean {
  return wants(call, 'dangerouslyDisableSandbox')
}

function wants({ input }: PolicyCall, field: string): boolean {
  const wish = asRecord(input)[field]
  return wish !== undefined && wish !== null && wish !== false
}

/** The jail ends with the call, so it runs no background command, and only commands whose findings it contains. */
function fitsJail(call: PolicyCall, findings: readonly Finding[]): boolean {
  if (call.jail !== true || call.tool !== 'Bash' || wants(call, 'run_in_background')) return false
  return findings.every(({ verdict, isContained }) => verdict === 'ask' && isContained === true)
}
