/** Which policy holds where: the settings, the person's file and the workspace's file, put together. */

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
  /** A preset, or the path of a policy file; relative to the home. */
  policy?: string | undefined
  denyFirst?: boolean | undefined
  autoAllowTools?: readonly string[] | undefined
}

/** Where a call happens, as far as that chooses its policy. */
export interface PolicyPlace {
  workspace: string
  /** Whether files of the workspace may say anything. */
  isTrusted: boolean
  /** The session's own choice. */
  preset: Preset | null
}

export interface PolicyResolver {
  /** What a person has chosen for everything, and the file that it is kept in. */
  readonly path: string
  own(): Policy
  /** What holds in a place, with the rules that always hold. Throws if a file of it cannot be read. */
  at(place: PolicyPlace): EffectivePolicy
  /** The same with another policy instead of the person's. */
  withOwn(policy: Policy, place: PolicyPlace): EffectivePolicy
  /** A policy as it would be if it were kept. */
  fill(policy: PolicyFile): Policy
  /** Keeps another policy, from the next call on. */
  replace(policy: PolicyFile): Policy
  /** Adds a rule to what is kept; one of the same name makes room. */
  addRule(rule: PolicyRule): Policy
  /** What a workspace itself says, if it is trusted. Throws if its file cannot be used. */
  workspaceFile(workspace: string): WorkspaceFile | null
  /** Our own home, under each of its names. */
  readonly ownHomes: readonly string[]
  /** Rules that hold whatever is kept. */
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

  // A file that is named must be there; what is wrong with it is told at the start.
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

/** A workspace only ever asks for more care. */
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
