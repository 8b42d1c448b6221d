import type { Backtest, Verdict } from '../../../src/protocol/index.js'
import { count, dateTime, number, t } from '../i18n/i18n.js'
import { reasonLabel } from '../i18n/server-text.js'
import { sessionPath } from '../route.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'

const MAX_ROWS = 100

/** Recorded calls that a proposed policy would have decided differently. */
export function BacktestTable({ backtest }: { backtest: Backtest }) {
  const { calls, changes, before, after, isTruncated } = backtest
  const shown = changes.slice(-MAX_ROWS).toReversed()
  return (
    <div className="backtest">
      <p>
        {changes.length === 0
          ? count('backtest.same', calls)
          : t('backtest.changed', { n: number(changes.length), of: number(calls) })}
        {isTruncated && ` ${t('backtest.truncated')}`}
      </p>
      <p className="muted">
        {(['allow', 'ask', 'deny'] as const)
          .map((verdict) => `${verdictLabel(verdict)} ${number(before[verdict])} → ${number(after[verdict])}`)
          .join(' · ')}
      </p>
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
        <div className="scroll-box" role="group" aria-label={t('backtest.calls')} tabIndex={0}>
          <table className="table wide">
            <thead>
              <tr>
                <th scope="col">{t('policy.call')}</th>
                <th scope="col">{t('backtest.before')}</th>
                <th scope="col">{t('backtest.after')}</th>
                <th scope="col">{t('backtest.time')}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((change) => (
                <tr key={change.toolUseId}>
                  <td>
                    <Link to={sessionPath(change.sessionId)}>{printable(change.title)}</Link>
                  </td>
                  <td>
                    <VerdictBadge verdict={change.before} />
                  </td>
                  <td>
                    <VerdictBadge verdict={change.after} />
                  </td>
                  <td>{dateTime(change.at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const color = { allow: 'green', ask: 'amber', deny: 'red' }[verdict.verdict]
  return (
    <span className={`badge ${color}`} title={`${verdict.rule}: ${reasonLabel(verdict)}`}>
      {verdictLabel(verdict.verdict)}
    </span>
  )
}

export function verdictLabel(verdict: Verdict['verdict']): string {
  return t(`verdict.${verdict}`)
}
