/** Trust in folders: only in a trusted folder are its settings, hooks and servers loaded. */

import { auditEntry } from '../audit/entry.js'
import type { Bus } from '../bus/port.js'
import type { Clock } from '../lib/clock.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import type { Store } from '../store/port.js'
import { auditFields } from './audit/fields.js'
import type { Hub } from './port.js'
import { unlessNoRunner } from './stop-session.js'
import type { HubWorktrees } from './worktrees.js'

interface WorkspaceTrustDeps {
  store: Store
  bus: Bus
  clock: Clock
  worktrees: Pick<HubWorktrees, 'followTrust'>
}

export function createWorkspaceTrust(deps: WorkspaceTrustDeps): Pick<Hub, 'trust' | 'distrust'> {
  const { store, bus, clock, worktrees } = deps
  return {
    async trust(path, actor) {
      const workspace = {
        machine: LOCAL_MACHINE,
        path: await bus.call({ type: 'workspace.find', path }),
        trustedAt: new Date(clock.now()).toISOString(),
        trustedBy: actor.who,
      }
      await store.trust(
        workspace,
        auditEntry({
          at: workspace.trustedAt,
          kind: 'workspace.trusted',
          ...auditFields(actor, workspace.path),
        }),
      )
      await worktrees.followTrust(workspace.path, actor)
      return workspace
    },
    async distrust(path, actor) {
      await store.distrust(
        { machine: LOCAL_MACHINE, path },
        auditEntry({
          at: new Date(clock.now()).toISOString(),
          kind: 'workspace.distrusted',
          ...auditFields(actor, path),
        }),
      )
      await worktrees.followTrust(path, null)
      // Without a runner there are no processes either.
      await bus.call({ type: 'workspace.distrusted', path }).catch(unlessNoRunner)
    },
  }
}
