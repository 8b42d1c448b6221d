/** Asks whether a large workspace is to be recorded: that takes time, and space in the home. */

import type { Asker } from '../inbox/asker.js'
import type { WorkspaceSize } from './snapshot/snapshot-store.js'

const WAIT = 'Wait'
const SKIP = 'Continue without undo'
const MEGABYTE = 1024 * 1024

/** False also if there is no answer: the session continues without undo. */
export async function askAboutSize(
  asker: Pick<Asker, 'askQuestion'>,
  sessionId: string,
  { files, bytes }: WorkspaceSize,
): Promise<boolean> {
  const megabytes = Math.round(bytes / MEGABYTE)
  const question = `This folder has ${files} files with ${megabytes} MB to record before the agent changes anything, more than the limit in snapshots.maxFiles or maxMegabytes. Record them first, so that changes can be undone?`
  const { answers } = await asker.askQuestion(
    {
      sessionId,
      toolUseId: null,
      toolName: 'Snapshot',
      input: { files, bytes },
      signal: new AbortController().signal,
    },
    [
      {
        question,
        header: 'Undo',
        options: [
          { label: WAIT, description: 'Calls that can write wait until the folder is recorded.' },
          { label: SKIP, description: 'Nothing that agents change in this folder can be undone.' },
        ],
      },
    ],
  )
  return answers?.[question] === WAIT
}
