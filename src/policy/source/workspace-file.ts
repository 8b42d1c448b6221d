/**
 * `.signalbox.jsonc`: the settings of a repository for agents that work in it. It is read only if the workspace is
 * trusted.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { commonTools, SessionOptions } from '../../protocol/option/option.js'
import { PolicyRule } from '../../protocol/policy/policy.js'
import { createPolicyFileReader } from './policy-file.js'

const WORKSPACE_FILE = '.signalbox.jsonc'

/** None of these options lets a repository exceed the user's permissions. */
const WorkspaceOptions = SessionOptions.pick({
  fallbackModel: true,
  maxTurns: true,
  maxBudgetUsd: true,
  thinking: true,
  effort: true,
  tools: true,
  disallowedTools: true,
  agents: true,
  systemPrompt: true,
  outputFormat: true,
  enableFileCheckpointing: true,
})

/** A repository can only make the policy stricter. */
export const WorkspaceFile = z.strictObject({
  rules: z
    .array(
      PolicyRule.extend({
        verdict: z.enum(['deny', 'ask'], 'A workspace may deny and ask, but not allow'),
      }),
    )
    .max(1000)
    .default([]),
  policy: z.literal('careful', 'A workspace may choose "careful" and nothing else').optional(),
  denyFirst: z.literal(true, 'A workspace may switch it on, but not off').optional(),
  readOnlyJail: z.literal('require', 'A workspace may require the jail, but not switch it off').optional(),
  unproven: z.literal('ask', 'A workspace may choose "ask" and nothing else').optional(),
  /** Session options in this workspace; they override those of the home. */
  defaults: WorkspaceOptions.default({}),
})
export type WorkspaceFile = z.infer<typeof WorkspaceFile>

/** Null if there is no file. Throws if it is invalid. */
export function createWorkspaceFileReader(): (workspace: string) => WorkspaceFile | null {
  const read = createPolicyFileReader(WorkspaceFile)
  return (workspace) => read(join(workspace, WORKSPACE_FILE))
}

/** Options of the workspace override those of the home; limits can only become stricter. */
export function narrowOptions(
  home: SessionOptions,
  { defaults }: Pick<WorkspaceFile, 'defaults'>,
): SessionOptions {
  const least = (name: 'maxTurns' | 'maxBudgetUsd') => {
    const limits = [home[name], defaults[name]].filter((limit) => limit !== undefined)
    return limits.length > 0 ? { [name]: Math.min(...limits) } : {}
  }
  const disallowedTools = [...new Set([...(home.disallowedTools ?? []), ...(defaults.disallowedTools ?? [])])]
  const both = home.tools && defaults.tools && commonTools(home.tools, defaults.tools)
  return {
    ...defaults,
    ...least('maxTurns'),
    ...least('maxBudgetUsd'),
    ...(disallowedTools.length > 0 && { disallowedTools }),
    ...(both && { tools: both }),
  }
}
