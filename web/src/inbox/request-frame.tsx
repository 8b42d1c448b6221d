import type { ReactNode } from 'react'
import { t } from '../i18n/i18n.js'
import { useHasRole } from '../store/state.js'

/** Content that scrolls above actions that do not: the buttons of a long request are always in view. */
export function RequestFrame({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  const mayAct = useHasRole('operator')
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <div className="request-content" tabIndex={0}>
        {children}
      </div>
      <div className="request-actions">
        {mayAct ? actions : <p className="muted">{t('request.viewer')}</p>}
      </div>
    </>
  )
}
