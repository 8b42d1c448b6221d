import { useEffect, useState } from 'react'
import type { Workspace } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { client, useHasRole } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'

/** Shows whether the folder is trusted. Admins can trust it here. */
export function Trust({ path }: { path: string }) {
  const isAdmin = useHasRole('admin')
  const [workspaces, setWorkspaces] = useState<readonly Workspace[] | null>(null)
  useEffect(() => {
    client.listWorkspaces().then(
      (reply) => setWorkspaces(reply.workspaces),
      () => {},
    )
  }, [])
  const trust = useAttempt(async () => {
    const { workspace } = await client.trustWorkspace({ body: { path } })
    setWorkspaces([...(workspaces ?? []), workspace])
  })
  if (workspaces === null || !path.startsWith('/')) return null
  const isTrusted = workspaces.some(
    (workspace) => path === workspace.path || path.startsWith(`${workspace.path}/`),
  )
  if (isTrusted)
    return (
      <p className="row trust">
        <Icon name="policy" /> <span className="grow">{t('trust.yes')}</span>
      </p>
    )
  return (
    <p className="row trust muted">
      <Icon name="policy" /> <span className="grow">{t('trust.no')}</span>
      {isAdmin && (
        <button type="button" disabled={trust.isBusy} onClick={trust.run}>
          {t('trust.do')}
        </button>
      )}
      {trust.problem && <span role="alert">{trust.problem}</span>}
    </p>
  )
}
