/** Routes that help to write a message or to start a session: names of files and folders, models, commands, prompts. */

import { z } from 'zod'
import { OfferedCommand, OfferedModels } from '../compose/offer.js'
import { PromptName, PromptText, SavedPrompt } from '../compose/prompt.js'
import { FileMatches, FolderListing, RecentFolder } from '../compose/workspace-file.js'
import { fieldsFor } from '../option/field-role.js'
import { AnySessionId, BASE, type Route } from './shape.js'

const Folder = z.string().min(1).max(4_096)
const promptParams = z.strictObject({ name: PromptName })

export const composeRoutes = {
  // Not for viewers: names of files and commands reveal what a project is about.
  searchFiles: {
    method: 'GET',
    path: `${BASE}/workspaces/files`,
    role: 'operator',
    summary:
      'Search files and folders of a workspace by name; for operators only below trusted or used workspaces',
    query: z.strictObject({
      folder: Folder,
      /** Parts of the name or path, or its letters in order. Empty: what is at the top of the folder. */
      q: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(200).optional(),
    }),
    status: 200,
    reply: FileMatches,
  },
  listFolders: {
    method: 'GET',
    path: `${BASE}/workspaces/folders`,
    role: 'operator',
    summary: 'List the folders in a folder; for operators only below trusted or used workspaces',
    query: z.strictObject({ path: Folder }),
    status: 200,
    reply: FolderListing,
  },
  listRecentFolders: {
    method: 'GET',
    path: `${BASE}/workspaces/recent`,
    role: 'operator',
    summary:
      'List folders in which sessions were started, the last used first, then folders that are trusted',
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(200).optional() }),
    status: 200,
    reply: z.strictObject({ folders: z.array(RecentFolder) }),
  },
  listModels: {
    method: 'GET',
    path: `${BASE}/models`,
    role: 'operator',
    summary: 'List the models that Claude Code offers, with their efforts, as a process last reported them',
    status: 200,
    reply: OfferedModels,
  },
  listCommands: {
    method: 'GET',
    path: `${BASE}/commands`,
    role: 'operator',
    summary: 'List the commands and skills of a session, or of a folder in which a session was started',
    query: z.strictObject({ sessionId: AnySessionId.optional(), folder: Folder.optional() }),
    status: 200,
    reply: z.strictObject({ commands: z.array(OfferedCommand) }),
  },
  listPrompts: {
    method: 'GET',
    path: `${BASE}/prompts`,
    role: 'operator',
    summary: 'List the saved prompts, by name',
    status: 200,
    reply: z.strictObject({ prompts: z.array(SavedPrompt) }),
  },
  savePrompt: {
    method: 'PUT',
    path: `${BASE}/prompts/:name`,
    role: 'operator',
    summary:
      'Save a prompt under a name, or replace the one of this name; one saved by an admin needs an admin',
    params: promptParams,
    body: z.strictObject({ text: PromptText }),
    fields: fieldsFor('operator', 'text'),
    status: 200,
    reply: z.strictObject({ prompt: SavedPrompt }),
  },
  deletePrompt: {
    method: 'DELETE',
    path: `${BASE}/prompts/:name`,
    role: 'operator',
    summary: 'Delete a saved prompt; one saved by an admin needs an admin',
    params: promptParams,
    status: 200,
    reply: z.strictObject({ prompt: SavedPrompt }),
  },
} as const satisfies Record<string, Route>
