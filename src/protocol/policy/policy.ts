/** Policies as data: the policy file, and the verdict on a call. */

import { z } from 'zod'
import { ReasonParts } from '../reason/reason-part.js'
import { PermissionMode, Timestamp } from '../value.js'

const Patterns = z.array(z.string().min(1).max(500)).min(1).max(100)

/** All given conditions must match. A rule without conditions matches every call. */
export const RuleConditions = z.strictObject({
  /** Names of tools: `Write`, `mcp__github__*`. */
  tools: Patterns.optional(),
  /**
   * For shells: one simple command, word by word as the program would get it. `*` matches one word or part of one, `**`
   * any number of words: `npm run *`, `git push ** --force **`.
   */
  commands: Patterns.optional(),
  /**
   * Files that the call would touch, with symlinks resolved: `src/**` below the workspace, `/etc/**`, `~/.cache/**`.
   */
  paths: Patterns.optional(),
  /** Kinds of access to these files. */
  access: z
    .array(z.enum(['look', 'read', 'write', 'delete', 'move', 'rights', 'copy', 'send', 'make']))
    .min(1)
    .optional(),
  /** Names of MCP servers. */
  servers: Patterns.optional(),
  /** Where an MCP server is configured. */
  sources: z
    .array(z.enum(['user', 'project', 'local', 'plugin', 'sdk', 'unknown']))
    .min(1)
    .optional(),
  /** Folders of workspaces. */
  workspaces: Patterns.optional(),
  /** Types of subagents; `main` is the main agent. */
  agents: Patterns.optional(),
  modes: z.array(PermissionMode).min(1).optional(),
})

export type RuleConditions = z.infer<typeof RuleConditions>

export const PolicyRule = z.strictObject({
  name: z.string().min(1).max(100),
  verdict: z.enum(['allow', 'deny', 'ask']),
  /** Shown to users, and to the agent on a denial. */
  reason: z.string().min(1).max(500).optional(),
  when: RuleConditions,
  /** Time at which the rule ends. Absent: it stays until it is removed. */
  until: Timestamp.optional(),
})
export type PolicyRule = z.infer<typeof PolicyRule>

export const Preset = z.enum(['careful', 'classic'])
export type Preset = z.infer<typeof Preset>

/** A policy file, with defaults filled in. */
export const Policy = z.strictObject({
  preset: Preset.default('careful'),
  /** `classic` only: denials apply in every mode, and before anything is allowed. */
  denyFirst: z.boolean().default(false),
  /** Tools that are allowed automatically: with `classic` any call, with `careful` only ordinary calls. */
  autoAllowTools: z.array(z.string().min(1)).optional(),
  rules: z.array(PolicyRule).max(1000).default([]),
})
export type Policy = z.infer<typeof Policy>
export type PolicyInput = z.input<typeof Policy>

/** The part of a call that a verdict is about, and its offsets in the command if known. */
export const Part = z.strictObject({
  text: z.string(),
  start: z.int().nullable(),
  end: z.int().nullable(),
})
export type Part = z.infer<typeof Part>

/** The step of the evaluation that decided. */
export const Step = z.enum([
  'person',
  'sandbox',
  'bypassPermissions',
  'acceptEdits',
  'dontAsk',
  'autoAllow',
  'autoDeny',
  'rule',
  'grant',
  'ask',
])
export type Step = z.infer<typeof Step>

/**
 * How serious a finding is. `destructive`: it cannot be undone. `serious`: it reaches secrets, other machines, other
 * folders or privileges, or cannot be read. `notice`: an ordinary effect in the workspace.
 */
export const Severity = z.enum(['destructive', 'serious', 'notice'])
export type Severity = z.infer<typeof Severity>

export const Verdict = z.strictObject({
  verdict: z.enum(['allow', 'deny', 'ask']),
  step: Step,
  /** The rule within the step: a built-in name, or the name of a user's rule. */
  rule: z.string(),
  /** As text. */
  reason: z.string(),
  /** The same as codes and parameters, from which `reason` is made. */
  reasonParts: ReasonParts.optional(),
  part: Part.nullable(),
  /** Allowed only inside the verified read-only jail. Absent: the allow does not depend on the jail. */
  jail: z.literal(true).optional(),
})
export type Verdict = z.infer<typeof Verdict>
