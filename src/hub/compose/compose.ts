/** Everything that helps to write a message or to start a session: names of files and folders, models, commands, prompts. */

import { dirname } from 'node:path'
import type { Bus } from '../../bus/port.js'
import type { Clock } from '../../lib/clock.js'
import { FolderOffer, type OfferedCommand, OfferedModels } from '../../protocol/compose/offer.js'
import { commandsKey, MODELS_KEY } from '../../protocol/compose/offer-key.js'
import type { FileMatches, FolderListing, RecentFolder } from '../../protocol/compose/workspace-file.js'
import { HubError } from '../../protocol/error.js'
import type { Authority } from '../../protocol/option/option-role.js'
import type { Session } from '../../protocol/session.js'
import { isTrusted } from '../../protocol/workspace.js'
import type { Store } from '../../store/port.js'
import { createFolderRights } from './folder-right.js'
import { createPrompts, type Prompts } from './prompts.js'

export interface ComposeDeps {
  store: Store
  bus: Bus
  clock: Clock
  session(id: string): Promise<Session>
}

export interface Compose {
  readonly prompts: Prompts
  /** Files and folders below a folder, by parts of their names. */
  files(folder: string, text: string, limit: number, authority: Authority): Promise<FileMatches>
  folders(path: string, authority: Authority): Promise<FolderListing>
  /** Folders of sessions, the last used first, then those that are only trusted. */
  recentFolders(limit: number): Promise<RecentFolder[]>
  /** As a process last reported them. */
  models(): Promise<OfferedModels>
  /** Of a session, or of a folder in which one was started. */
  commands(place: CommandPlace, authority: Authority): Promise<OfferedCommand[]>
}

export interface CommandPlace {
  sessionId?: string | undefined
  folder?: string | undefined
}

/** Sessions that are looked through for recent folders. */
const MAX_SESSIONS = 200

export function createCompose({ store, bus, clock, session }: ComposeDeps): Compose {
  const rights = createFolderRights(store, bus)

  const folders: Compose['folders'] = async (path, authority) => {
    const real = await rights.folderFor(path, authority)
    const { folders: found, isWhole } = await bus.call({ type: 'workspace.folders', path: real })
    const mayLook = await rights.lookFor(authority)
    const mayEnter: boolean[] = []
    for (const folder of found) {
      // A link may lead out of what the user may look into.
      mayEnter.push(dirname(folder.path) === real || (await mayLook(folder.path)))
    }
    const above = dirname(real)
    const mayLeave = above !== real && (await mayLook(above))
    return {
      path: real,
      parent: mayLeave ? above : null,
      folders: found.filter((_, index) => mayEnter[index]),
      isWhole,
    }
  }

  const recentFolders: Compose['recentFolders'] = async (limit) => {
    const sessions = await store.sessions({ kind: 'managed', limit: MAX_SESSIONS })
    const trusted = await store.trustedWorkspaces()
    const used = new Map<string, string | null>()
    for (const { cwd, createdAt } of sessions) if (!used.has(cwd)) used.set(cwd, createdAt)
    for (const { path } of trusted) if (!used.has(path)) used.set(path, null)
    return [...used]
      .slice(0, limit)
      .map(([path, usedAt]) => ({ path, usedAt, isTrusted: isTrusted(path, trusted) }))
  }

  async function commandsAt(folder: string): Promise<OfferedCommand[]> {
    const found = FolderOffer.safeParse(readStored(await store.state(commandsKey(folder))))
    return found.success ? found.data.commands : []
  }

  const commands: Compose['commands'] = async ({ sessionId, folder }, authority) => {
    if ((sessionId === undefined) === (folder === undefined))
      throw new HubError('request_invalid', 'Send either sessionId or folder.')
    if (sessionId === undefined) return commandsAt(await rights.folderFor(folder ?? '', authority))
    const { id, cwd } = await session(sessionId)
    const offered = await commandsAt(cwd)
    const started = (await store.readSession(id, { types: ['session.started'] })).at(-1)?.event
    if (started?.type !== 'session.started') return offered
    const described = new Map(offered.map((command) => [command.name, command]))
    const { commands: names, skills } = started.data
    return names
      .filter((name) => !name.startsWith('_'))
      .map(
        (name) =>
          described.get(name) ?? {
            name,
            description: '',
            argumentHint: '',
            kind: skills.includes(name) ? 'skill' : 'command',
          },
      )
  }

  return {
    prompts: createPrompts({ store, clock }),
    async files(folder, text, limit, authority) {
      const real = await rights.folderFor(folder, authority)
      return bus.call({ type: 'workspace.files', folder: real, text, limit })
    },
    folders,
    recentFolders,
    async models() {
      const found = OfferedModels.safeParse(readStored(await store.state(MODELS_KEY)))
      return found.success ? found.data : { models: [], seenAt: null }
    },
    commands,
  }
}

/** A damaged value counts as none: the next process reports it again. */
function readStored(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
