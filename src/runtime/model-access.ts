/** Chooses the model: the user's account, or a scripted model started for this runtime. */

import { existsSync, readFileSync } from 'node:fs'
import type { Closers } from '../lib/closers.js'
import { HubError } from '../protocol/error.js'
import { demoScript } from '../scripted/demo-script.js'
import { readScript, type ScriptInput } from '../scripted/script.js'
import { startScriptedModel } from '../scripted/server.js'
import { hasAccount, type ModelAccess } from '../session/claude/environment.js'

export async function chooseModel(
  scripted: true | string | null,
  env: Readonly<Record<string, string | undefined>>,
  closers: Closers,
  keep: (script: ScriptInput) => Promise<{ url: string } | null> = async () => null,
): Promise<ModelAccess> {
  // Fail closed: an untyped caller that passes something else must not silently get the demo script.
  if (scripted !== null && scripted !== true && typeof scripted !== 'string')
    throw new HubError('script_invalid', '"scripted" is true, or the path of a script.')
  if (scripted === null && hasAccount(env, existsSync)) return { kind: 'account' }
  const script = typeof scripted === 'string' ? readScriptFile(scripted) : demoScript
  const kept = await keep(script)
  if (kept) return { kind: 'scripted', url: kept.url }
  const model = closers.add(await startScriptedModel(script), (it) => it.close())
  // The scripted model must not keep an embedding program alive. The daemon stays alive through its own server.
  model.unref()
  return { kind: 'scripted', url: model.url }
}

/** The same choice, without starting anything. */
export function modelKind(
  scripted: true | string | null,
  env: Readonly<Record<string, string | undefined>>,
): ModelAccess['kind'] {
  return scripted === null && hasAccount(env, existsSync) ? 'account' : 'scripted'
}

export function readScriptFile(path: string): ScriptInput {
  try {
    return readScript(readFileSync(path, 'utf8'))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unknown failure'
    throw new HubError('script_invalid', `The script ${path} is invalid. ${problem}`, { path }, { cause })
  }
}
