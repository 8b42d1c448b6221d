/** Processes that a previous run of the daemon has left running, with the sessions that they work for. */

import type { SessionResumePoint } from '../../store/port/append.js'
import type { RunnerStore } from '../../store/port/runner-store.js'
import type { Keeper, KeptConnection } from '../keeper/keeper-client.js'
import { type KeptRecord, type LaunchFolder, LaunchFolders } from './launch-folder.js'

export interface LeftLaunch {
  folder: LaunchFolder
  mark: string
  kept: KeptRecord
  connection: KeptConnection
  point: SessionResumePoint
}

export interface LeftLaunchDeps {
  keeper: Keeper | null
  runFolder: string
  store: Pick<RunnerStore, 'resumePoints'>
}

/** Those that still run. Each has one connection, which must be used or closed. */
export async function findLeft({ keeper, runFolder, store }: LeftLaunchDeps): Promise<LeftLaunch[]> {
  const folders = new LaunchFolders(runFolder).list().filter(({ record }) => record?.kept !== undefined)
  if (keeper === null || folders.length === 0 || !(await keeper.ready())) return []
  const points = new Map((await store.resumePoints()).map((point) => [point.launch, point]))
  const found = folders.map(async (folder): Promise<LeftLaunch[]> => {
    const [point, record] = [points.get(folder.id), folder.record]
    if (!point || !record?.kept) return []
    const connection = await keeper.attach(folder.path)
    return connection ? [{ folder, mark: record.mark, kept: record.kept, connection, point }] : []
  })
  return (await Promise.all(found)).flat()
}
