import { type FormEvent, useState } from 'react'
import { t } from './i18n/i18n.js'
import { errorLabel } from './i18n/server-text.js'
import { logIn } from './store/login.js'
import { useStore } from './store/state.js'
import { OwnCommand } from './ui/own-command.js'

export function Login() {
  const [secret, setSecret] = useState('')
  const linkProblem = useStore((state) => state.problem)
  const [ownProblem, setOwnProblem] = useState('')
  const problem = ownProblem || linkProblem

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setOwnProblem('')
    await logIn(secret).catch((error: unknown) => setOwnProblem(errorLabel(error)))
  }

  return (
    <main>
      <form className="login card" onSubmit={(event) => void submit(event)}>
        <h1>
          <img src="/icon.svg" alt="" width="32" height="32" /> Signalbox
        </h1>
        <p>{t('login.explained')}</p>
        <OwnCommand words="open" />
        <label>
          {t('login.secret')}
          <input
            type="password"
            autoComplete="current-password"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        </label>
        {problem && <p role="alert">{problem}</p>}
        <button type="submit" className="primary" disabled={secret.trim() === ''}>
          {t('log_in')}
        </button>
      </form>
    </main>
  )
}
