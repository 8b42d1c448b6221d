/** A workspace on disk with a store beside it, for tests of what is recorded and undone. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionRecord } from '../../src/change/change-record.js'
import { openWorkspace } from '../../src/change/open-workspace.js'
import { createIdSource } from '../../src/lib/id.js'
import { temporaryFolder } from './temporary-folder.js'

export const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()

const LIMITS = { maxFiles: 10_000, maxBytes: 100_000_000, maxFileBytes: 1_000_000 }
const IGNORED = { maxIgnoredFiles: 20, maxIgnoredBytes: 100_000 }

export async function makeWorkspace(given?: string, { never = [] as string[], now = Date.now } = {}) {
  const folder = given ?? (await temporaryFolder())
  const root = join(folder, 'work')
  mkdirSync(root, { recursive: true })
  const records: SessionRecord[] = []
  const options = {
    program: GIT,
    folder: join(folder, 'store'),
    workspace: root,
    exclude: [],
    never: never.map((path) => join(folder, path)),
    limits: LIMITS,
    now,
    ignored: IGNORED,
  }
  const open = () =>
    openWorkspace(options, {
      clock: { now: Date.now, after: () => () => {} },
      ids: createIdSource(),
      scanOptions: () => ({}),
      append: async (record) => void records.push(record),
      onFault: (error) => {
        throw error
      },
    })
  const at = (path: string) => join(root, path)
  const write = (path: string, content: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), content)
  }
  const remove = (path: string) => rmSync(at(path), { recursive: true, force: true })
  return { folder, root, options, workspace: open(), open, at, write, remove, records }
}

export function aCall(
  toolUseId: string,
  more: { sessionId?: string; agentId?: string; targets?: string[] } = {},
) {
  const { sessionId = 'ses_1', agentId, targets } = more
  return { sessionId, turnId: null, toolUseId, agentId, targets: targets ? new Set(targets) : null }
}
