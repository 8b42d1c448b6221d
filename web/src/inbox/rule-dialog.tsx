import { useEffect, useId, useState } from 'react'
import type { PolicyRule, RuleProposal } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { client, useHasRole } from '../store/state.js'
import { Dialog } from '../ui/dialog.js'
import { useAttempt } from '../ui/use-attempt.js'
import { NearbyCalls } from './nearby-calls.js'
import { type Choices, endOf, RuleChoices } from './rule-choices.js'

interface RuleDialogProps {
  requestId: string
  onClose(): void
  /** Called after the rule is saved. */
  onSaved(): void
  /** Allows the calls of the request's grant until the end of the session, or until a time. */
  onGrant(until: string | undefined): void
}

const DEBOUNCE_MS = 300

/** Creates a rule from a request. Lists what it would and would not allow before it is saved. */
export function RuleDialog({ requestId, onClose, onSaved, onGrant }: RuleDialogProps) {
  const [choices, setChoices] = useState<Choices>({
    scope: null,
    place: useHasRole('admin') ? 'folder' : 'session',
    end: 'never',
  })
  const [edited, setEdited] = useState<string | null>(null)
  const [name, setName] = useState<string | null>(null)
  const { proposal, problem, isLoading } = useProposal(requestId, choices, edited)
  const rule = proposal?.rule ?? null
  const isForSession = choices.place === 'session'
  const save = useAttempt(async () => {
    if (isForSession) onGrant(endOf(choices.end))
    else if (rule) {
      await client.addPolicyRule({ body: { ...rule, name: name?.trim() || rule.name } })
      onSaved()
    }
  })
  const id = useId()
  return (
    <Dialog title={t('rule.title')} onClose={onClose}>
      <RuleChoices
        choices={choices}
        scopes={proposal?.scopes ?? []}
        onChange={(next) => {
          setChoices(next)
          setEdited(null)
        }}
      />
      {!proposal && !problem && <p>{t('loading')}</p>}
      {isForSession && <p className="muted">{t('rule.session_explained')}</p>}
      {!isForSession && proposal && rule === null && <p role="alert">{t('rule.none')}</p>}
      {!isForSession && rule && (
        <>
          <label htmlFor={id}>{t('rule.patterns')}</label>
          <textarea
            id={id}
            className="code"
            rows={3}
            spellCheck={false}
            value={edited ?? patternsOf(rule).join('\n')}
            onChange={(event) => setEdited(event.target.value)}
          />
          <label>
            {t('rule.name')}
            <input
              value={name ?? rule.name}
              maxLength={100}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          {proposal && <NearbyCalls proposal={proposal} />}
        </>
      )}
      {(problem || save.problem) && <p role="alert">{problem || save.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className="primary"
          disabled={save.isBusy || (!isForSession && (isLoading || !rule || proposal?.isCovering !== true))}
          onClick={save.run}
        >
          {isForSession ? t('rule.grant') : t('rule.save')}
        </button>
      </div>
    </Dialog>
  )
}

interface Proposed {
  /** The choices that it is for. */
  key: string
  proposal: RuleProposal | null
  problem: string
}

/**
 * The rule for these choices. An edited pattern is judged after a pause in typing. Race: until the reply arrives it is the
 * rule for the choices before, which may be wider: it stays in view and must not be saved.
 */
function useProposal(requestId: string, { scope, place, end }: Choices, edited: string | null) {
  const [state, setState] = useState<Proposed>({ key: '', proposal: null, problem: '' })
  const key = JSON.stringify([requestId, scope, place, end, edited])
  useEffect(() => {
    let isCurrent = true
    const load = async () => {
      const params = { id: requestId }
      const until = endOf(end)
      const body = {
        ...(scope !== null && { scope }),
        place: place === 'everywhere' ? ('everywhere' as const) : ('folder' as const),
        ...(until !== undefined && { until }),
      }
      const { proposal } = await client.proposeRule({ params, body })
      const patterns = linesOf(edited)
      if (patterns === null || proposal.rule === null) return proposal
      const rule = withPatterns(proposal.rule, patterns)
      const judged = await client.proposeRule({ params, body: { rule } })
      return { ...judged.proposal, scopes: proposal.scopes }
    }
    const timer = setTimeout(
      () =>
        void load().then(
          (proposal) => isCurrent && setState({ key, proposal, problem: '' }),
          (error: unknown) => isCurrent && setState({ key, proposal: null, problem: errorLabel(error) }),
        ),
      edited === null ? 0 : DEBOUNCE_MS,
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [requestId, scope, place, end, edited, key])
  return { ...state, isLoading: state.key !== key }
}

function linesOf(text: string | null): string[] | null {
  const lines = (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}

function patternsOf({ when: { commands, paths, tools } }: PolicyRule): string[] {
  return commands ?? paths ?? tools ?? []
}

function withPatterns(rule: PolicyRule, patterns: string[]): PolicyRule {
  const { when } = rule
  const field = when.commands ? 'commands' : when.paths ? 'paths' : 'tools'
  const name = `allow ${when.tools?.join(', ') ?? ''}: ${patterns.join(', ')}`.slice(0, 100)
  return { ...rule, name, when: { ...when, [field]: patterns } }
}
