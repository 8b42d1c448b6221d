import { type FormEvent, useState } from 'react'
import { May, type User } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'

/** Users with their rights through channels, and their quiet hours. For admins. */
export function UserSection() {
  const users = useLoaded(async () => (await client.listUsers()).users)
  const [name, setName] = useState('')
  const add = useAttempt(async () => {
    await client.setUser({ params: { name: name.trim() }, body: {} })
    setName('')
    users.reload()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run()
  }
  return (
    <section className="card panel" aria-label={t('users.title')}>
      <h2>{t('users.title')}</h2>
      <p className="muted">{t('users.explained')}</p>
      {users.problem && <p role="alert">{users.problem}</p>}
      <ul className="item-list">
        {users.value?.map((user) => (
          <UserRow key={user.name} user={user} onChanged={users.reload} />
        ))}
      </ul>
      <form className="row" onSubmit={submit}>
        <label className="grow">
          {t('users.name')}
          <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
        </label>
        <button type="submit" className="align-end" disabled={add.isBusy || name.trim() === ''}>
          {t('users.add')}
        </button>
      </form>
      {add.problem && <p role="alert">{add.problem}</p>}
    </section>
  )
}

interface UserRowProps {
  user: User
  onChanged(): void
}

const OWNER = 'admin'
const NIGHT = { from: '22:00', to: '07:00' }

function UserRow({ user, onChanged }: UserRowProps) {
  const { name, source, createdAt: _, ...settings } = user
  const [change, setChange] = useState<Partial<User>>({})
  const save = useAttempt(async () => {
    await client.setUser({ params: { name }, body: { ...settings, ...change } })
    setChange({})
    onChanged()
  })
  const remove = useAttempt(async () => {
    await client.removeUser({ params: { name } })
    onChanged()
  })
  const shown = { ...settings, ...change }
  const quiet = shown.quiet ?? null
  const isFixed = source === 'config'
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const setQuiet = (part: Partial<typeof NIGHT>) =>
    setChange({ ...change, quiet: { timeZone, ...NIGHT, ...quiet, ...part } })
  return (
    <li className="row user">
      <span className="grow">
        {printable(name)}
        {isFixed && <small className="muted">{t('users.in_config')}</small>}
        {(save.problem || remove.problem) && <small role="alert">{save.problem || remove.problem}</small>}
      </span>
      <label>
        {t('users.may')}
        <select
          value={shown.may}
          disabled={isFixed}
          onChange={(event) =>
            setChange({ ...change, may: May.options.find((one) => one === event.target.value) ?? 'see' })
          }
        >
          {May.options.map((one) => (
            <option key={one} value={one}>
              {t(`may.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <fieldset className="row quiet" disabled={isFixed}>
        <label className="option">
          <input
            type="checkbox"
            checked={quiet !== null}
            onChange={() => (quiet ? setChange({ ...change, quiet: null }) : setQuiet({}))}
          />
          <span>{t('users.quiet')}</span>
        </label>
        {quiet && (
          <>
            <input
              type="time"
              aria-label={t('users.from')}
              value={quiet.from}
              onChange={(event) => setQuiet({ from: event.target.value })}
            />
            <input
              type="time"
              aria-label={t('users.to')}
              value={quiet.to}
              onChange={(event) => setQuiet({ to: event.target.value })}
            />
          </>
        )}
      </fieldset>
      {Object.keys(change).length > 0 && (
        <button type="button" className="primary" disabled={save.isBusy} onClick={save.run}>
          {t('save')}
        </button>
      )}
      {!isFixed && name !== OWNER && (
        <button
          type="button"
          className="danger"
          disabled={remove.isBusy}
          onClick={remove.run}
          title={t('users.remove_explained', { name })}
          aria-label={t('users.remove_one', { name })}
        >
          {t('users.remove')}
        </button>
      )}
    </li>
  )
}
