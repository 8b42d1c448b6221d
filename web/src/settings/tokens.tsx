import { type FormEvent, useState } from 'react'
import { Role, type Token } from '../../../src/protocol/index.js'
import { dateTime, t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { Copyable } from '../ui/copy.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'

/** Lists, creates and revokes tokens and logins. The secret of a new token is shown once. */
export function Tokens() {
  const tokens = useLoaded(async () => (await client.listTokens()).tokens)
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('operator')
  const [answersByMcp, setAnswersByMcp] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const create = useAttempt(async () => {
    const may = answersByMcp && role !== 'viewer'
    const made = await client.createToken({
      body: { name: name.trim(), role, ...(may && { answersByMcp: true }) },
    })
    setSecret(made.secret)
    setName('')
    tokens.reload()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.run()
  }
  return (
    <section className="card panel" aria-label={t('tokens.title')}>
      <h2>{t('tokens.title')}</h2>
      <p className="muted">{t('tokens.why')}</p>
      {tokens.problem && <p role="alert">{tokens.problem}</p>}
      <ul className="item-list">
        {tokens.value?.map((token) => (
          <TokenRow key={token.id} token={token} onRevoked={tokens.reload} />
        ))}
      </ul>
      {secret !== null && (
        <div role="status">
          <p>{t('tokens.secret')}</p>
          <Copyable text={secret} />
        </div>
      )}
      <form className="row" onSubmit={submit}>
        <label className="grow token-name">
          {t('tokens.name')}
          <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          {t('tokens.role')}
          <select
            value={role}
            onChange={(event) =>
              setRole(Role.options.find((known) => known === event.target.value) ?? 'viewer')
            }
          >
            {Role.options.map((known) => (
              <option key={known} value={known}>
                {t(`role.${known}`)}
              </option>
            ))}
          </select>
        </label>
        {role !== 'viewer' && (
          <label className="check align-end">
            <input
              type="checkbox"
              checked={answersByMcp}
              onChange={(event) => setAnswersByMcp(event.target.checked)}
            />
            {t('tokens.mcp')}
          </label>
        )}
        <button type="submit" className="primary align-end" disabled={create.isBusy || name.trim() === ''}>
          {t('tokens.create')}
        </button>
      </form>
      {create.problem && <p role="alert">{create.problem}</p>}
    </section>
  )
}

function TokenRow({ token, onRevoked }: { token: Token; onRevoked(): void }) {
  const revoke = useAttempt(async () => {
    await client.revokeToken({ params: { id: token.id } })
    onRevoked()
  })
  return (
    <li className="row">
      <span className="grow">
        {token.name} <span className="badge">{t(`role.${token.role}`)}</span>{' '}
        <span className="badge">{t(`tokens.kind.${token.kind}`)}</span>{' '}
        {token.answersByMcp && <span className="badge">{t('tokens.mcp')}</span>}
        <small className="muted">
          {token.device !== null && `${printable(token.device)} · `}
          {token.user !== null && token.user !== token.name && `${printable(token.user)} · `}
          {dateTime(token.createdAt)}
          {token.expiresAt !== null && ` – ${dateTime(token.expiresAt)}`}
        </small>
      </span>
      {revoke.problem && <span role="alert">{revoke.problem}</span>}
      <button
        type="button"
        disabled={revoke.isBusy}
        onClick={revoke.run}
        aria-label={t('tokens.revoke_one', { name: token.name })}
      >
        {t('tokens.revoke')}
      </button>
    </li>
  )
}
