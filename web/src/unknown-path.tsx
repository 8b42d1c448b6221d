import { t } from './i18n/i18n.js'
import { Link } from './ui/link.js'
import { printable } from './ui/printable.js'

/** An address without a page: says so, and where to go instead. */
export function UnknownPath({ path }: { path: string }) {
  return (
    <div className="empty">
      <h1>{t('path.unknown')}</h1>
      <p>{t('path.unknown_explained', { path: printable(path.slice(0, 200)) })}</p>
      <WaysOn />
    </div>
  )
}

export function UnknownSession() {
  return (
    <div className="empty">
      <h1>{t('session.unknown')}</h1>
      <p>{t('session.unknown_explained')}</p>
      <WaysOn />
    </div>
  )
}

function WaysOn() {
  return (
    <p className="row">
      <Link to="/" className="button primary">
        {t('go.sessions')}
      </Link>
      <Link to="/search" className="button">
        {t('go.search')}
      </Link>
    </p>
  )
}
