import { useEffect, useState } from 'react'
import type { OfferedCommand, SavedPrompt } from '../../../../src/protocol/index.js'
import { errorLabel } from '../../i18n/server-text.js'
import { client } from '../../store/state.js'
import { commandSuggestions, fileSuggestions, type Suggestion } from './suggestion.js'
import type { CompletionToken } from './token.js'

/** Where a message goes: an open session, or a folder in which one is to be started. */
export interface MessagePlace {
  sessionId: string | null
  folder: string
}

interface Suggestions {
  list: readonly Suggestion[]
  /** The list is that of the letter before. */
  isStale: boolean
  isLoading: boolean
  problem: string
}

const NONE: Suggestions = { list: [], isStale: false, isLoading: false, problem: '' }
const MAX_FILES = 20
/** An index that is being made or looked over gives a better answer a moment later. */
const AGAIN_MS = 250
/** While the list is open new files appear in it, for half a minute. */
const REFRESH_MS = 1_200
const MAX_REFRESHES = 25

/** The suggestions for what is typed. Those of the letter before stay until there are new ones. */
export function useSuggestions(place: MessagePlace, token: CompletionToken | null): Suggestions {
  const files = useFiles(place.folder, token?.kind === 'file' ? token.query : null)
  const commands = useCommands(place, token?.kind === 'command' ? token.query : null)
  return token?.kind === 'file' ? files : commands
}

function useFiles(folder: string, query: string | null): Suggestions {
  const [shown, setShown] = useState({ ...NONE, query: '' })
  useEffect(() => {
    if (query === null) return setShown({ ...NONE, query: '' })
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    let refreshes = 0
    const load = () => {
      client.searchFiles({ query: { folder, q: query, limit: MAX_FILES } }).then(
        (found) => {
          if (!isCurrent) return
          const isLoading = found.state === 'indexing'
          setShown({ ...NONE, list: fileSuggestions(found, query), isLoading, query })
          if (found.state !== 'ready') timer = setTimeout(load, AGAIN_MS)
          else if (refreshes++ < MAX_REFRESHES) timer = setTimeout(load, REFRESH_MS)
        },
        (error: unknown) => {
          if (isCurrent) setShown({ ...NONE, problem: errorLabel(error), query })
        },
      )
    }
    load()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [folder, query])
  return { ...shown, isStale: shown.query !== query }
}

interface Loaded {
  commands: readonly OfferedCommand[]
  prompts: readonly SavedPrompt[]
}

/** Loaded when the slash is typed. A folder in which nothing has run yet has saved prompts only. */
function useCommands({ sessionId, folder }: MessagePlace, query: string | null): Suggestions {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const isOpen = query !== null
  useEffect(() => {
    if (!isOpen) return
    let isCurrent = true
    setLoaded(null)
    const commands = client
      .listCommands({ query: sessionId === null ? { folder } : { sessionId } })
      .then((reply) => reply.commands)
    const prompts = client.listPrompts().then((reply) => reply.prompts)
    void Promise.all([commands.catch(() => []), prompts.catch(() => [])]).then(([offered, saved]) => {
      if (isCurrent) setLoaded({ commands: offered, prompts: saved })
    })
    return () => {
      isCurrent = false
    }
  }, [isOpen, sessionId, folder])
  if (query === null) return NONE
  if (!loaded) return { ...NONE, isLoading: true }
  return { ...NONE, list: commandSuggestions(loaded.commands, loaded.prompts, query) }
}
