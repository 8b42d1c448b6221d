import type { InboxRequest } from '../../../../src/protocol/index.js'
import { count, t } from '../../i18n/i18n.js'
import { sendAnswer } from '../../store/send.js'
import { client } from '../../store/state.js'
import { Dialog } from '../../ui/dialog.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useLoaded } from '../../ui/use-loaded.js'
import { canBeAllowedTogether } from './allowable.js'
import { forEach } from './bulk.js'

interface AllowDialogProps {
  requests: readonly InboxRequest[]
  onClose(): void
}

/** Lists the calls that would be allowed before anything is. Each is answered on its own. */
export function AllowDialog({ requests, onClose }: AllowDialogProps) {
  const allowable = useLoaded(() => allowableOf(requests))
  const allow = useAttempt(async () => {
    await forEach(allowable.value ?? [], async ({ id }) => {
      const problem = await sendAnswer(id, { decision: 'allow' })
      if (problem !== '') throw new Error(problem)
    })
    onClose()
  })
  const listed = allowable.value ?? []
  const remaining = requests.length - listed.length
  return (
    <Dialog title={count('list.allow', listed.length)} onClose={onClose}>
      {allowable.value === null && !allowable.problem && <p>{t('loading')}</p>}
      {allowable.problem && <p role="alert">{allowable.problem}</p>}
      <ul>
        {listed.map(({ id, title }) => (
          <li key={id}>
            <code>{printable(title)}</code>
          </li>
        ))}
      </ul>
      {allowable.value !== null && remaining > 0 && <p>{count('list.allow.left', remaining)}</p>}
      {allow.problem && <p role="alert">{allow.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className="primary"
          disabled={allow.isBusy || listed.length === 0}
          onClick={allow.run}
        >
          {t('list.bulk.allow', { n: listed.length })}
        </button>
      </div>
    </Dialog>
  )
}

async function allowableOf(requests: readonly InboxRequest[]): Promise<InboxRequest[]> {
  const judged = await Promise.all(
    requests.map(async (request) => {
      const { explanation } = await client.explainRequest({ params: { id: request.id } })
      return canBeAllowedTogether(request, explanation) ? [request] : []
    }),
  )
  return judged.flat()
}
