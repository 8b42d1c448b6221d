/** Whether commands that only read can run in the read-only jail here. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJail } from '../../jail/jail.js'
import type { JailStatus, ReadOnlyJail } from '../../protocol/jail.js'
import { findDaemon } from '../connect.js'
import type { Finding } from './finding.js'

/** The result of the running daemon; without one the jail is tested here. */
export async function checkJail(home: string, setting: ReadOnlyJail): Promise<Finding> {
  if (setting === 'off')
    return {
      name: 'Jail',
      state: 'warning',
      found: 'disabled: read-only commands run with your permissions',
      fix: 'Set readOnlyJail to auto.',
    }
  const about = await findDaemon(home)
    ?.about()
    .catch(() => null)
  const { state, kind, reason } = about?.about.jail ?? (await testJail())
  if (state === 'verified')
    return { name: 'Jail', state: 'ok', found: `read-only jail with ${kind}, verified (${setting})` }
  if (state === 'checking')
    return {
      name: 'Jail',
      state: 'warning',
      found: 'being tested by the daemon',
      fix: 'Run this command again in a few seconds.',
    }
  return {
    name: 'Jail',
    state: setting === 'require' ? 'broken' : 'warning',
    found: `no read-only jail: ${reason}`,
    fix: 'Install bubblewrap and allow user namespaces. See docs/policy.md.',
  }
}

async function testJail(): Promise<JailStatus> {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))
  const { platform, arch } = process
  const jail = createJail({ home, claudeProgram: null, mark: null, platform, arch })
  try {
    return await jail.verify()
  } finally {
    await jail.close()
    rmSync(home, { recursive: true, force: true })
  }
}
