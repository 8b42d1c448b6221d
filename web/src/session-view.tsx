import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Request, Session, TranscriptItem } from '../../src/protocol/index.js'
import { CallInput, RequestCard } from './request-card.js'
import { client, openSession, useStore } from './store.js'
import { useAttempt } from './use-attempt.js'
import { doing, nameOf, toolTitle } from './words.js'

export function SessionView() {
  const open = useStore((state) => state.open)
  const requests = useStore((state) => state.requests)
  const session = open?.session
  if (!open || !session) return <p className="blank">Loading…</p>
  const pending = session.pendingRequests.flatMap((id) => requests.get(id) ?? [])
  return (
    <div className="view">
      <Heading session={session} />
      <Conversation items={open.transcript.items} pending={pending} cwd={session.cwd} />
      <Composer session={session} />
    </div>
  )
}

function Heading({ session }: { session: Session }) {
  const params = { id: session.id }
  const interrupt = useAttempt(() => client.interruptSession({ params, body: {} }))
  const stop = useAttempt(() => client.stopSession({ params, body: {} }))
  const resume = useAttempt(() => client.resumeSession({ params, body: {} }))
  const goOn = useAttempt(() => client.resumeSession({ params, body: { continue: true } }))
  const problem = interrupt.problem || stop.problem || resume.problem || goOn.problem
  return (
    <header className="heading">
      <button
        type="button"
        className="back"
        onClick={() => openSession(null)}
        aria-label="Back to all sessions"
      >
        ←
      </button>
      <div>
        <h1>{nameOf(session)}</h1>
        <p>
          <span className={`lamp ${session.state}`} aria-hidden="true" /> {doing(session)} · {session.cwd}
          {session.model && ` · ${session.model}`} · ${session.costUsd.toFixed(4)}
        </p>
        {problem && <p role="alert">{problem}</p>}
      </div>
      <div className="controls">
        {session.turn && (
          <button type="button" disabled={interrupt.isBusy} onClick={interrupt.run}>
            Interrupt
          </button>
        )}
        {session.isInterrupted && session.state === 'idle' && (
          <button type="button" disabled={goOn.isBusy} onClick={goOn.run}>
            Continue
          </button>
        )}
        {session.state === 'ended' ? (
          <button type="button" disabled={resume.isBusy} onClick={resume.run}>
            Resume
          </button>
        ) : (
          <button type="button" disabled={stop.isBusy} onClick={stop.run}>
            Stop
          </button>
        )}
      </div>
    </header>
  )
}

interface ConversationProps {
  items: readonly TranscriptItem[]
  pending: readonly Request[]
  cwd: string
}

function Conversation({ items, pending, cwd }: ConversationProps) {
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)

  // Stays at the end as text arrives, unless the reader has scrolled away from it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when something has been added.
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' })
  }, [items, pending.length])

  return (
    <div
      className="conversation"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
      }}
    >
      {items.map((item) => (
        <Item key={item.id} item={item} cwd={cwd} />
      ))}
      {pending.map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
      <div ref={end} />
    </div>
  )
}

function Item({ item, cwd }: { item: TranscriptItem; cwd: string }) {
  switch (item.kind) {
    case 'message':
      return (
        <div className={`bubble ${item.state}`}>
          {item.text}
          {item.state !== 'delivered' && <small>{item.state}</small>}
        </div>
      )
    case 'text':
      return <div className={item.parentToolUseId ? 'text of-agent' : 'text'}>{item.text}</div>
    case 'thinking':
      return (
        <details className="thinking" open={item.isWriting}>
          <summary>{item.isWriting ? 'Thinking…' : 'Thought'}</summary>
          {item.text}
        </details>
      )
    case 'tool':
      return (
        <details className={item.parentToolUseId ? 'tool of-agent' : 'tool'}>
          <summary>
            <span className={`mark ${item.state}`} aria-hidden="true" />
            {toolTitle(item, cwd)} <small>{item.state}</small>
          </summary>
          <CallInput input={item.input} />
          <ToolResult error={item.error} result={item.result} />
        </details>
      )
    case 'turn':
      return item.outcome === 'completed' ? null : (
        <p className={`ending ${item.outcome}`}>
          {item.outcome === 'interrupted' ? 'Interrupted.' : `Failed: ${item.errors[0] ?? item.stopReason}`}
        </p>
      )
    case 'notice':
      return item.level === 'info' ? null : <p className={`notice ${item.level}`}>{item.text}</p>
  }
}

function ToolResult({ error, result }: { error: string | null; result: unknown }) {
  const text =
    error ?? (typeof result === 'string' ? result : result === null ? null : JSON.stringify(result, null, 2))
  return text === null ? null : <pre className={error === null ? 'result' : 'result failed'}>{text}</pre>
}

function Composer({ session }: { session: Session }) {
  const [text, setText] = useState('')
  const isEnded = session.state === 'ended'
  const sending = useAttempt(async (idempotencyKey) => {
    await client.sendMessage({ params: { id: session.id }, body: { text, idempotencyKey } })
    setText('')
  })
  const send = () => {
    if (text.trim() !== '') sending.run()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const onKey = (event: KeyboardEvent) => {
    // Enter also confirms what an input method for Korean or Japanese suggests.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form className="composer" onSubmit={submit}>
      {sending.problem && <p role="alert">{sending.problem}</p>}
      <textarea
        aria-label="Message"
        rows={2}
        value={text}
        disabled={isEnded}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
        placeholder={
          isEnded
            ? 'This session has ended. Resume it to go on.'
            : 'Message (Enter sends, Shift-Enter breaks the line)'
        }
      />
      <button type="submit" className="primary" disabled={isEnded || sending.isBusy || text.trim() === ''}>
        Send
      </button>
    </form>
  )
}
