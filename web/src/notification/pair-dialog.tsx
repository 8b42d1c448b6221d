import { useState } from 'react'
import { encode } from 'uqr'
import { Role } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { client, useStore } from '../store/state.js'
import { Copyable } from '../ui/copy.js'
import { Dialog } from '../ui/dialog.js'
import { OwnCommand } from '../ui/own-command.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'

/** Shows a QR code that pairs a phone, once the role is chosen. For admins. */
export function PairDialog({ onClose }: { onClose(): void }) {
  const address = useStore(({ about }) => about?.url ?? '')
  const users = useLoaded(async () => (await client.listUsers()).users)
  const [role, setRole] = useState<Role>('operator')
  const [user, setUser] = useState('admin')
  const [link, setLink] = useState<string | null>(null)
  const show = useAttempt(async () => {
    const { url } = await client.createLoginCode({ body: { role, user, isPairing: true } })
    setLink(`${reachable(address) ?? location.origin}/pair${new URL(url).hash}`)
  })
  const base = reachable(address) ?? reachable(location.origin)
  return (
    <Dialog title={t('pair.title')} onClose={onClose}>
      {base === null ? (
        <>
          <p>{t('pair.unreachable', { url: address })}</p>
          <OwnCommand words="phone" />
        </>
      ) : link === null ? (
        <div className="two-columns">
          <label>
            {t('pair.role')}
            <select
              value={role}
              onChange={(event) =>
                setRole(Role.options.find((one) => one === event.target.value) ?? 'viewer')
              }
            >
              {Role.options.map((one) => (
                <option key={one} value={one}>
                  {t(`role.${one}`)}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t('pair.user')}
            <select value={user} onChange={(event) => setUser(event.target.value)}>
              {(users.value ?? []).map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <p className="muted">{t(`pair.role.${role}`)}</p>
        </div>
      ) : (
        <>
          <p>{t('pair.explained')}</p>
          <QrCode text={link} />
          <Copyable text={link} />
        </>
      )}
      {show.problem && <p role="alert">{show.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('close')}
        </button>
        {base !== null && link === null && (
          <button type="button" className="primary" disabled={show.isBusy} onClick={show.run}>
            {t('pair.show')}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** The address, if another device can open it with https; null otherwise. */
function reachable(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, origin } = new URL(url)
  return protocol === 'https:' && !/^(?:localhost|127\.|\[::1\])/.test(hostname) ? origin : null
}

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'L', border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t('pair.code')}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
