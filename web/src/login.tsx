import { type FormEvent, useState } from 'react'
import { logIn, useStore } from './store.js'

export function Login() {
  const [secret, setSecret] = useState('')
  const linkProblem = useStore((state) => state.problem)
  const [problem, setProblem] = useState(linkProblem)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem('')
    await logIn(secret.trim()).catch((error: Error) => setProblem(error.message))
  }

  return (
    <form className="login card" onSubmit={(event) => void submit(event)}>
      <h1>
        <img src="/icon.svg" alt="" width="28" height="28" /> Signalbox
      </h1>
      <p>
        This browser is not logged in. Run <code>signalbox open</code> and follow the link it prints, or paste
        its code here.
      </p>
      <label>
        Code or token
        <input
          type="password"
          autoComplete="current-password"
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
        />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" className="primary" disabled={secret.trim() === ''}>
        Log in
      </button>
    </form>
  )
}
