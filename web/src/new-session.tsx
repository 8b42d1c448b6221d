import { type FormEvent, useState } from 'react'
import { client, openSession, useStore } from './store.js'
import { useAttempt } from './use-attempt.js'

const SUGGESTIONS = ['Write a haiku into a file', 'Run a command', 'Ask me a question']

export function NewSession() {
  const about = useStore((state) => state.about)
  const [typed, setTyped] = useState<string | null>(null)
  const [prompt, setPrompt] = useState('')
  const cwd = typed ?? about?.sampleWorkspace ?? ''
  const start = useAttempt(async (idempotencyKey) => {
    const { session } = await client.createSession({ body: { cwd, prompt, idempotencyKey } })
    setPrompt('')
    openSession(session.id)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.run()
  }

  return (
    <form className="new card" onSubmit={submit}>
      <h2>Start a session</h2>
      <label>
        Folder
        <input
          value={cwd}
          onChange={(event) => setTyped(event.target.value)}
          placeholder="/path/to/your/project"
        />
      </label>
      <label>
        Prompt
        <textarea
          rows={3}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
          placeholder="What should the agent do?"
        />
      </label>
      {about?.model === 'scripted' && (
        <p className="suggestions">
          Try:{' '}
          {SUGGESTIONS.map((text) => (
            <button type="button" key={text} onClick={() => setPrompt(text)}>
              {text}
            </button>
          ))}
        </p>
      )}
      {start.problem && <p role="alert">{start.problem}</p>}
      <button type="submit" className="primary" disabled={start.isBusy || prompt.trim() === '' || cwd === ''}>
        Start
      </button>
    </form>
  )
}
