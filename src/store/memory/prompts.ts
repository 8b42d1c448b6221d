/** Saved prompts. */

import type { SavedPrompt } from '../../protocol/compose/prompt.js'
import type { Store } from '../port.js'

export function createPrompts(): Pick<Store, 'prompts' | 'changePrompt'> {
  const prompts = new Map<string, SavedPrompt>()
  return {
    prompts: async () => [...prompts.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    changePrompt: async (name, change) => {
      const before = prompts.get(name) ?? null
      const after = change(before, prompts.size)
      if (after) prompts.set(name, after)
      else prompts.delete(name)
      return before
    },
  }
}
