/** Changes of files by sessions: review, comments, undo. */

import type { Bus } from '../bus/port.js'
import { busySessions } from '../change/busy-sessions.js'
import { listChanges, readHistory } from '../change/history.js'
import { keyOf } from '../inbox/idempotency-key.js'
import type { Journal } from '../journal/journal.js'
import { abortable } from '../lib/abortable.js'
import type { Clock } from '../lib/clock.js'
import { isProtectedFile } from '../policy/file/protected.js'
import type { RewindSession, Rewound } from '../protocol/api-body.js'
import { commentText } from '../protocol/change/comment-text.js'
import type {
  Change,
  ChangedPicture,
  Diff,
  DiffQuery,
  Recording,
  SendComments,
  SentComment,
  UndoChanges,
  UndoResult,
} from '../protocol/change/diff.js'
import { HubError } from '../protocol/error.js'
import type { Authority } from '../protocol/option/option-role.js'
import type { Session } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import type { Store } from '../store/port.js'
import { appendOnce, type Messages } from './messages.js'
import { redactDiff } from './redact-diff.js'
import type { Redact } from './visible-search.js'

export interface HubChangesDeps {
  journal: Journal
  store: Store
  bus: Bus
  clock: Clock
  messages: Messages
  session(id: string): Promise<Session>
}

export interface HubChanges {
  list(id: string): Promise<{ changes: Change[]; recording: Recording }>
  /** With `redact`, as a viewer sees it. */
  diff(id: string, query: DiffQuery, redact?: Redact): Promise<Diff>
  picture(id: string, query: PictureQuery): Promise<ChangedPicture>
  undo(id: string, command: UndoChanges, actor: Actor, authority: Authority): Promise<UndoResult>
  rewind(session: Session, command: RewindSession, actor: Actor, authority: Authority): Promise<Rewound>
  comments(id: string): Promise<SentComment[]>
  sendComments(id: string, command: SendComments, actor: Actor): Promise<{ messageId: string }>
}

export interface PictureQuery extends Omit<DiffQuery, 'against' | 'context'> {
  file: string
  side: 'before' | 'after'
  isViewer: boolean
}

const INTERRUPT_MS = 10_000
const MAX_COMMENTS = 1_000

type Place = Pick<Session, 'cwd' | 'machine'>

export function createHubChanges({
  journal,
  store,
  bus,
  clock,
  messages,
  session,
}: HubChangesDeps): HubChanges {
  const undo: HubChanges['undo'] = async (id, command, actor, authority) => {
    const { id: sessionId, ...place } = await session(id)
    if (command.interrupt && !command.preview) await interruptIn(place)
    const isAdmin = authority === 'admin' || authority === 'owner'
    refuseAmbiguous(command)
    return bus.call({ type: 'changes.undo', sessionId, ...command, by: actor, isAdmin })
  }

  /** Interrupts what works in the folder, and waits until it has stopped. */
  async function interruptIn(place: Place): Promise<void> {
    const busy = await busySessions(place, store)
    const observed = busy.find(({ kind }) => kind === 'observed')
    if (observed)
      throw new HubError(
        'workspace_busy',
        `Session ${observed.id} works in a terminal. Interrupt it there, then undo.`,
        { sessionIds: [observed.id] },
      )
    await Promise.all(
      busy.map(async ({ id: sessionId, tasks }) => {
        await bus.call({ type: 'session.interrupt', sessionId })
        for (const taskId of Object.keys(tasks))
          await bus.call({ type: 'session.stop_task', sessionId, taskId })
      }),
    )
    await whenIdle(place)
  }

  async function whenIdle(place: Place): Promise<void> {
    const late = new AbortController()
    const cancel = clock.after(INTERRUPT_MS, () => late.abort(stillBusy()))
    let wake = () => {}
    const subscription = journal.subscribe({ deliver: () => wake() })
    try {
      while ((await busySessions(place, store)).length > 0)
        await abortable(
          new Promise<void>((resolve) => {
            wake = resolve
          }),
          late.signal,
        )
    } finally {
      cancel()
      subscription.close()
    }
  }

  const rewind: HubChanges['rewind'] = async ({ id, cwd }, { to, dryRun = false }, actor, authority) => {
    const command = { to, ...(dryRun && { preview: true }) }
    const isAdmin = authority === 'admin' || authority === 'owner'
    const undone = await bus.call({
      type: 'changes.undo',
      sessionId: id,
      ...command,
      by: actor,
      isAdmin,
      rewoundTo: to,
    })
    const { files, totals } = undone.diff
    return {
      files: files.map(({ path }) => `${cwd}/${path}`),
      insertions: totals.insertions,
      deletions: totals.deletions,
    }
  }

  const listComments: HubChanges['comments'] = async (id) => {
    const { id: sessionId } = await session(id)
    const stored = await store.readSession(sessionId, { types: ['comments.sent'], limit: MAX_COMMENTS })
    const sent = stored.flatMap(({ event }) => {
      if (event.type !== 'comments.sent') return []
      const { messageId, by, comments: all } = event.data
      return all.map((comment) => ({ comment, messageId, sessionId, at: event.at, by }))
    })
    if (sent.length === 0) return []
    const comments = sent.map(({ comment }) => comment)
    const resolved = await bus.call({ type: 'changes.resolved', sessionId, comments })
    return sent.map(({ comment, ...facts }, index) => ({
      ...comment,
      ...facts,
      isResolved: resolved[index] ?? false,
    }))
  }

  const sendComments: HubChanges['sendComments'] = async (id, command, actor) => {
    const found = await session(id)
    const { comments: given, whenBusy } = command
    const text = commentText(given, actor.who)
    const draft = messages.queued({ text, ...(whenBusy && { whenBusy }) }, actor)
    const { messageId } = draft.data
    const sent = { type: 'comments.sent', data: { messageId, comments: given, by: actor } } as const
    messages.refuseIfClosed(found)
    const key = keyOf(actor, { ...command, text })
    const once = key ? { once: { scope: `messages:${found.id}`, value: messageId, ...key } } : {}
    return { messageId: (await appendOnce(journal, found.id, [sent, draft], once)) ?? messageId }
  }

  return {
    async list(id) {
      const { id: sessionId } = await session(id)
      const recording = await bus.call({ type: 'changes.recording', sessionId })
      return { changes: listChanges(await readHistory(store, sessionId)), recording }
    },
    async diff(id, query, redact) {
      const { id: sessionId } = await session(id)
      const diff = await bus.call({ type: 'changes.diff', sessionId, ...query })
      return redact ? redactDiff(diff, redact) : diff
    },
    async picture(id, { isViewer, ...query }) {
      const { id: sessionId, cwd } = await session(id)
      if (isViewer && isProtectedFile(`${cwd}/${query.file}`))
        throw new HubError('role_insufficient', 'The content of protected files is not shown to viewers.')
      return bus.call({ type: 'changes.picture', sessionId, ...query })
    },
    undo,
    rewind,
    comments: listComments,
    sendComments,
  }
}

/** One thing at a time, named: nothing is undone by default. */
function refuseAmbiguous({ turn, call, agent, changes, to, all, files }: UndoChanges): void {
  const named = [turn, call, agent, changes, to, all].filter((value) => value !== undefined).length
  if (named === 1 || (named === 0 && files !== undefined)) return
  throw new HubError(
    'request_invalid',
    'Name what to undo: one of turn, call, agent, changes, to or all; or files.',
  )
}

function stillBusy(): HubError {
  return new HubError(
    'workspace_busy',
    'A session in this folder did not stop within 10 s. Stop it, then undo.',
  )
}
