import { useEffect, useState } from 'react'
import type { PolicyFile, PolicyRule, RulePreview } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { errorLabel } from '../../i18n/server-text.js'
import { client, useStore } from '../../store/state.js'
import { printable } from '../../ui/printable.js'
import { verdictLabel } from '../backtest-table.js'

const DEBOUNCE_MS = 300

interface RulePreviewBoxProps {
  rule: PolicyRule
  /** The other rules, as they are in the editor. */
  policy: PolicyFile
}

/** The effect of a rule on an example and on the calls close to it, those that cannot be undone in red. */
export function RulePreviewBox({ rule, policy }: RulePreviewBoxProps) {
  const { preview, problem } = usePreview(rule, policy)
  if (problem !== '') return <p className="muted">{problem}</p>
  if (!preview) return <p className="muted">{t('loading')}</p>
  const calls: Judged[] = [{ ...preview, title: preview.call.title }, ...preview.nearby]
  const changed = calls.filter(({ before, after }) => before !== after)
  const same = calls.filter(({ before, after }) => before === after)
  return (
    <div className="nearby">
      <h3>{t('rule.changes')}</h3>
      {changed.length === 0 ? (
        <p className="muted">{t('rule.changes_nothing')}</p>
      ) : (
        <Calls calls={changed} />
      )}
      {same.length > 0 && (
        <details>
          <summary>{t('rule.changes_not')}</summary>
          <Calls calls={same} />
        </details>
      )}
    </div>
  )
}

type Judged = Pick<RulePreview['nearby'][number], 'title' | 'before' | 'after'> & {
  severity?: RulePreview['nearby'][number]['severity']
}

const COLORS = { allow: 'green', ask: 'amber', deny: 'red' } as const

function Calls({ calls }: { calls: readonly Judged[] }) {
  return (
    <ul className="findings">
      {calls.map(({ title, before, after, severity }) => (
        <li key={title} className={severity}>
          <span className={`badge ${COLORS[after]}`}>
            {before === after ? verdictLabel(after) : `${verdictLabel(before)} → ${verdictLabel(after)}`}
          </span>{' '}
          {severity === 'destructive' && <span className="badge red">{t('severity.destructive')}</span>}{' '}
          <code>{printable(title)}</code>
        </li>
      ))}
    </ul>
  )
}

/** Judged after a pause in typing, in the folder that the rule names, or in that of the newest session. */
function usePreview(rule: PolicyRule, policy: PolicyFile) {
  const folder = useStore(
    ({ sessions, about }) =>
      [...sessions.values()].toSorted((one, two) => two.updatedAt.localeCompare(one.updatedAt))[0]?.cwd ??
      about?.sampleWorkspace ??
      '/',
  )
  const [state, setState] = useState<{ preview: RulePreview | null; problem: string }>({
    preview: null,
    problem: '',
  })
  const named = rule.when.workspaces?.find((one) => one.startsWith('/') && !/[*?[{]/.test(one))
  const isExample = [rule.when.tools, rule.when.commands, rule.when.paths].some((list) => list !== undefined)
  useEffect(() => {
    if (!isExample) return setState({ preview: null, problem: t('rule.no_example') })
    let isCurrent = true
    const judged = { ...rule, name: rule.name.trim() || 'new' }
    const timer = setTimeout(
      () =>
        void client.previewRule({ body: { rule: judged, cwd: named ?? folder, policy } }).then(
          ({ preview }) => isCurrent && setState({ preview, problem: '' }),
          (error: unknown) => isCurrent && setState({ preview: null, problem: errorLabel(error) }),
        ),
      DEBOUNCE_MS,
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [rule, policy, named, folder, isExample])
  return state
}
