/** Policies as data: what people write into a policy file, and what comes of it. */

import { z } from 'zod'
import { ReasonParts } from '../reason/reason-part.js'
import { PermissionMode } from '../value.js'

const Patterns = z.array(z.string().min(1).max(500)).min(1).max(100)

/** Every condition that is given must hold; a rule without conditions holds for every call. */
export const RuleConditions = z.strictObject({
  /** Names of tools: `Write`, `mcp__github__*`. */
  tools: Patterns.optional(),
  /**
   * For shells: one simple command, word by word, as the program would see it. `*` stands for one word or a part of
   * it, `**` for any number of words: `npm run *`, `git push ** --force **`.
   */
  commands: Patterns.optional(),
  /** Files that the call would touch, links followed: `src/**` below the workspace, `/etc/**`, `~/.cache/**`. */
  paths: Patterns.optional(),
  /** How they would be touched. */
  access: z
    .array(z.enum(['look', 'read', 'write', 'delete', 'move', 'rights', 'copy', 'send', 'make']))
    .min(1)
    .optional(),
  /** Names of MCP servers. */
  servers: Patterns.optional(),
  /** Where an MCP server was configured. */
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
  /** Told to people, and to the agent when it is denied. */
  reason: z.string().min(1).max(500).optional(),
  when: RuleConditions,
})
export type PolicyRule = z.infer<typeof PolicyRule>

export const Preset = z.enum(['careful', 'classic'])
export type Preset = z.infer<typeof Preset>

/** A policy file; also what a policy is once it is read. */
export const Policy = z.strictObject({
  preset: Preset.default('careful'),
  /** `classic` only: what is denied is denied in every mode, before anything is allowed. */
  denyFirst: z.boolean().default(false),
  /** Tools that are allowed by themselves: under `classic` whatever they do, under `careful` what they ordinarily do. */
  autoAllowTools: z.array(z.string().min(1)).optional(),
  rules: z.array(PolicyRule).max(1000).default([]),
})
export type Policy = z.infer<typeof Policy>
export type PolicyInput = z.input<typeof Policy>

/** The piece of a call that a verdict is about, and where it stands in a command, as far as that is known. */
export const Part = z.strictObject({
  text: z.string(),
  start: z.int().nullable(),
  end: z.int().nullable(),
})
export type Part = z.infer<typeof Part>

/** The step of the policy that decided. */
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

export const Verdict = z.strictObject({
  verdict: z.enum(['allow', 'deny', 'ask']),
  step: Step,
  /** The rule within the step: a name of ours, or that of somebody's own rule. */
  rule: z.string(),
  /** In words. */
  reason: z.string(),
  /** The same as codes and parameters, from which `reason` is made. */
  reasonParts: ReasonParts.optional(),
  part: Part.nullable(),
  /** Allowed only inside the verified read-only jail. Without it an allow is a proof on its own. */
  jail: z.literal(true).optional(),
})
export type Verdict = z.infer<typeof Verdict>
