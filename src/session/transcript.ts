/** The CLI's own record of a conversation. */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether the CLI has written anything about a conversation: only then can it be resumed. */
export async function hasTranscript(configFolder: string, claudeSessionId: string): Promise<boolean> {
  const projects = join(configFolder, 'projects')
  const folders = await readdir(projects).catch(() => [])
  const found = await Promise.all(
    folders.map((folder) => isFile(join(projects, folder, `${claudeSessionId}.jsonl`))),
  )
  return found.includes(true)
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  )
}
