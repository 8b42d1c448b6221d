import { useEffect, useState } from 'react'
import { HubError, type Role } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { client } from '../store/state.js'
import { useAttempt } from '../ui/use-attempt.js'
import { deviceName } from './push.js'

interface Offer {
  name: string
  role: Role
}

/** `/pair#code=…`: shows which rights a link gives, before it is used. */
export function PairPage() {
  const [code] = useState(() => new URLSearchParams(location.hash.slice(1)).get('code') ?? '')
  const [offer, setOffer] = useState<Offer | null>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    client.lookLoginCode({ body: { code } }).then(
      ({ login }) => setOffer(login),
      (error: unknown) => {
        const isGone = code === '' || (error instanceof HubError && error.code === 'login_code_invalid')
        setProblem(isGone ? t('pair.gone') : errorLabel(error))
      },
    )
  }, [code])
  const pair = useAttempt(async () => {
    await client.login({ body: { code, device: deviceName() } })
    // The code is used: it must not stay in the history.
    location.replace('/settings')
  })
  return (
    <main>
      <section className="login card">
        <h1>
          <img src="/icon.svg" alt="" width="32" height="32" /> {t('pair.this')}
        </h1>
        {problem && <p role="alert">{problem}</p>}
        {offer && (
          <>
            <p>{t('pair.gives', { name: offer.name, role: t(`role.${offer.role}`) })}</p>
            <p className="muted">{t(`pair.role.${offer.role}`)}</p>
            {pair.problem && <p role="alert">{pair.problem}</p>}
            <button type="button" className="primary" disabled={pair.isBusy} onClick={pair.run}>
              {t('pair.now')}
            </button>
          </>
        )}
      </section>
    </main>
  )
}
