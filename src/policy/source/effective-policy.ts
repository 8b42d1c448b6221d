/** Resolves the policy in force for a place from the settings, the user's policy file and the file of the workspace. */

import { realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { HubError } from '../../protocol/error.js'
import type { Policy, PolicyRule, Preset } from '../../protocol/policy/policy.js'
import { PolicyFile } from '../../protocol/policy/policy-body.js'
import type { EffectivePolicy } from '../call.js'
import { CONVERSATION_RULES } from './conversation-rules.js'
import { ownFilesRule } from './own-files.js'
import { createPolicyFileReader, readPolicyFile, writePolicyFile } from './policy-file.js'
import { createWorkspaceFileReader, type WorkspaceFile } from './workspace-file.js'

export interface PolicySettings {
  /** A preset, or the path of a policy file, relative to the home. */
  policy?: string | undefined
  denyFirst?: boolean | undefined
  autoAllowTools?: readonly string[] | undefined
}

/** The properties of a call that select its policy. */
export interface PolicyPlace {
  workspace: string
  /** Whether the policy file of the workspace is read. */
  isTrusted: boolean
  /** The preset that the session has chosen. */
  preset: Preset | null
}

export interface PolicyResolver {
  /** The file of the user's policy, which `own` returns. */
  readonly path: string
  own(): Policy
  /** The policy in force for a place, with the built-in rules. Throws if one of its files cannot be read. */
  at(place: PolicyPlace): EffectivePolicy
  /** The same with another policy in place of the user's. */
  withOwn(policy: Policy, place: PolicyPlace): EffectivePolicy
  /** The policy that would result from saving this file. */
  fill(policy: PolicyFile): Policy
  /** Saves another policy, in force from the next call on. */
  replace(policy: PolicyFile): Policy
  /** Adds a rule to the saved policy; replaces a rule of the same name. */
  addRule(rule: PolicyRule): Policy
  /** The file of a trusted workspace. Throws if it is invalid. */
  workspaceFile(workspace: string): WorkspaceFile | null
  /** The home of Signalbox, under each of its names. */
  readonly ownHomes: readonly string[]
  /** Built-in rules, in force whatever policy is saved. */
  readonly always: readonly PolicyRule[]
}

export function createPolicyResolver(home: string, settings: PolicySettings): PolicyResolver {
  const preset = settings.policy === 'careful' || settings.policy === 'classic' ? settings.policy : null
  const path = pathOf(home, preset === null ? settings.policy : undefined)
  const readOwn = createPolicyFileReader(PolicyFile)
  const readWorkspace = createWorkspaceFileReader()
  const ownHomes = [...new Set([resolve(home), realOf(home)])]

  const own = () => fill(readOwn(path) ?? PolicyFile.parse({}))

  function fill(file: PolicyFile): Policy {
    const autoAllowTools = settings.autoAllowTools ?? file.autoAllowTools
    return {
      preset: preset ?? file.preset ?? 'careful',
      denyFirst: settings.denyFirst ?? file.denyFirst ?? false,
      ...(autoAllowTools !== undefined && { autoAllowTools: [...autoAllowTools] }),
      rules: file.rules,
    }
  }

  function withOwn(policy: Policy, place: PolicyPlace): EffectivePolicy {
    const narrowing = place.isTrusted ? readWorkspace(place.workspace) : null
    const rules = [...(narrowing?.rules ?? []), ...policy.rules, ...CONVERSATION_RULES]
    return narrow({ ...policy, preset: place.preset ?? policy.preset, rules, ownHomes }, narrowing)
  }

  // A policy file named in the settings must exist. An invalid file is an error at start.
  if (settings.policy !== undefined && preset === null) readPolicyFile(path, PolicyFile)
  own()

  function replace(file: PolicyFile): Policy {
    if (preset !== null && file.preset !== undefined && file.preset !== preset) {
      throw new HubError(
        'policy_invalid',
        `The settings fix the preset ${preset}. Change "policy" there, or leave the preset out.`,
      )
    }
    writePolicyFile(path, file)
    return own()
  }

  return {
    path,
    workspaceFile: readWorkspace,
    ownHomes,
    always: [ownFilesRule(ownHomes), ...CONVERSATION_RULES],
    own,
    withOwn,
    fill,
    replace,
    addRule(rule) {
      const file = readOwn(path) ?? PolicyFile.parse({})
      return replace({ ...file, rules: [...file.rules.filter(({ name }) => name !== rule.name), rule] })
    },
    at: (place) => withOwn(own(), place),
  }
}

/** A workspace can only make the policy stricter. */
function narrow(policy: EffectivePolicy, workspace: WorkspaceFile | null): EffectivePolicy {
  const { policy: preset = policy.preset, denyFirst = policy.denyFirst } = workspace ?? {}
  return { ...policy, preset, denyFirst }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function pathOf(home: string, named: string | undefined): string {
  if (named === undefined) return join(home, 'policy.jsonc')
  return isAbsolute(named) ? named : resolve(home, named)
}
