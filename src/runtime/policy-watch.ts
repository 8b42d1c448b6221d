/**
 * Detects changes of the policy file from outside this daemon: refuses a file that another user could write,
 * and audits edits by hand.
 */

import { statSync } from 'node:fs'
import { auditEntry } from '../audit/entry.js'
import type { PolicyWatch } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import { findForeignFile } from '../lib/file/file-owner.js'
import { readSmallFileSync } from '../lib/file/regular-file.js'
import { HubError } from '../protocol/error.js'
import { reason, saying } from '../protocol/reason/reason.js'
import type { Store } from '../store/port.js'

const MAX_BYTES = 4 * 1024 * 1024

const KEY = 'policy-digest'

export function createPolicyWatch(deps: {
  path: string
  store: Pick<Store, 'state' | 'setState' | 'addAudit'>
  clock: Clock
}): PolicyWatch {
  const { path, store, clock } = deps
  /** How the file looked when its content was compared last. */
  let seen: string | null = null

  async function compare(isOurs: boolean): Promise<void> {
    const look = lookOf(path)
    if (look === seen && !isOurs) return
    const [before, now] = [await store.state(KEY), digestOf(path)]
    if (before !== null && before !== now && !isOurs)
      await store.addAudit(
        auditEntry({
          at: new Date(clock.now()).toISOString(),
          kind: 'policy.changed',
          by: 'file',
          subject: path,
          verdict: 'changed',
          ...saying(reason('policy.edited')),
          digest: before,
          changedDigest: now,
        }),
      )
    if (before !== now) await store.setState(KEY, now)
    seen = look
  }

  return {
    async check() {
      refuseForeignPolicy(path)
      await compare(false)
    },
    accept: () => compare(true),
  }
}

/** Throws if another user could have changed the file. */
export function refuseForeignPolicy(path: string): void {
  const foreign = findForeignFile(path)
  if (foreign)
    throw new HubError('policy_invalid', `The policy file is not safe. ${foreign.found} Fix: ${foreign.fix}`)
}

/** Changes with everything that writes the file. */
function lookOf(path: string): string {
  const entry = statSync(path, { throwIfNoEntry: false })
  return entry ? [entry.dev, entry.ino, entry.size, entry.mtimeMs, entry.ctimeMs].join() : ''
}

function digestOf(path: string): string {
  try {
    return digest(readSmallFileSync(path, MAX_BYTES).toString('utf8'))
  } catch {
    return '' // There is none.
  }
}
