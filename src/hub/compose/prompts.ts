/** Saved prompts: one list for all operators of the home. */

import type { Clock } from '../../lib/clock.js'
import type { SavedPrompt } from '../../protocol/compose/prompt.js'
import { HubError } from '../../protocol/error.js'
import type { Authority } from '../../protocol/option/option-role.js'
import type { Role } from '../../protocol/role.js'
import { isAtLeast } from '../../protocol/role-rank.js'
import type { Actor } from '../../protocol/value.js'
import type { Store } from '../../store/port.js'

const MAX_PROMPTS = 500

export interface Prompts {
  list(): Promise<SavedPrompt[]>
  /** Creates it, or replaces the one of this name. */
  save(name: string, text: string, actor: Actor, authority: Authority): Promise<SavedPrompt>
  delete(name: string, authority: Authority): Promise<SavedPrompt>
}

export function createPrompts({ store, clock }: { store: Store; clock: Clock }): Prompts {
  return {
    list: () => store.prompts(),
    async save(name, text, actor, authority) {
      const role = roleOf(authority)
      const prompt = { name, text, savedAt: new Date(clock.now()).toISOString(), savedBy: actor.who, role }
      await store.changePrompt(name, (before, count) => {
        refuseOfHigher(before, role)
        if (!before && count >= MAX_PROMPTS)
          throw new HubError(
            'request_invalid',
            `There are ${MAX_PROMPTS} saved prompts already. Delete one first.`,
          )
        return prompt
      })
      return prompt
    },
    async delete(name, authority) {
      const deleted = await store.changePrompt(name, (before) => {
        refuseOfHigher(before, roleOf(authority))
        return null
      })
      if (deleted) return deleted
      throw new HubError(
        'prompt_not_found',
        `No saved prompt ${name}. List them with "signalbox prompts list".`,
        { name },
      )
    },
  }
}

function roleOf(authority: Authority): Role {
  return authority === 'owner' ? 'admin' : authority
}

/** Users send a saved prompt in their own name: a lower role must not change what a higher one has saved. */
function refuseOfHigher(before: SavedPrompt | null, role: Role): void {
  if (!before || isAtLeast(role, before.role)) return
  throw new HubError(
    'role_insufficient',
    `The prompt ${before.name} was saved with the role ${before.role}, which is required to change it. Your role is ${role}. Use another name.`,
    { needed: before.role, role },
  )
}
