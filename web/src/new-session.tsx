import { type FormEvent, useState } from 'react'
import { client, openSession, useStore } from './store.js'

const SUGGESTIONS = ['Write a haiku into a file', 'Run a command', 'Ask me a question']

export function NewSession() {
  const about = useStore((state) => state.about)
  const [cwd, setCwd] = useState('')
  const [prompt, setPrompt] = useState('')
  const [problem, setProblem] = useState('')
  const folder = cwd || about?.sampleWorkspace || ''

  const begin = async (text: string) => {
    setProblem('')
    try {
      const { session } = await client.createSession({ body: { cwd: folder, prompt: text } })
      setPrompt('')
      openSession(session.id)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void begin(prompt)
  }

  return (
    <form className="new card" onSubmit={submit}>
      <h2>Start a session</h2>
      <label>
        Folder
        <input
          value={folder}
          onChange={(event) => setCwd(event.target.value)}
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
            <button type="button" key={text} onClick={() => void begin(text)}>
              {text}
            </button>
          ))}
        </p>
      )}
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" className="primary" disabled={prompt.trim() === '' || folder === ''}>
        Start
      </button>
    </form>
  )
}
