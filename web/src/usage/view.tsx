import { useMemo } from 'react'
import type { UsageBy, UsageRow, UsageSplit } from '../../../src/protocol/index.js'
import { compact, money, number, t } from '../i18n/i18n.js'
import { modelName } from '../session/session-label.js'
import { client, useStore } from '../store/state.js'
import { Chips } from '../ui/chips.js'
import { printable } from '../ui/printable.js'
import { useAddressQuery } from '../ui/use-address-query.js'
import { useLoaded } from '../ui/use-loaded.js'
import { Shares, StackedColumns } from './chart.js'
import { costLabel, rowName } from './label.js'
import { costOf, PERIODS, type Period, slotsOf, startOf } from './period.js'
import { UsageTable } from './report.js'
import { measureOf, seriesOf, valueOf } from './series.js'

const GROUPINGS = ['time', 'model', 'project', 'session'] as const
const SPLITS = ['model', 'project'] as const
const FIRST_QUERY = { period: 'week', by: 'time', split: 'model' }
const EVERY_MS = 15_000

/** Tokens and cost, as a chart and a table. The address holds the choices. */
export function UsageView() {
  const { draft, change } = useAddressQuery('/usage', FIRST_QUERY)
  const period = PERIODS.find((name) => name === draft.period) ?? 'week'
  const grouping = GROUPINGS.find((name) => name === draft.by) ?? 'time'
  const split = SPLITS.find((name) => name === draft.split) ?? 'model'
  const by: UsageBy = grouping === 'time' ? (period === 'today' ? 'hour' : 'day') : grouping
  return (
    <div className="page">
      <header>
        <h1>{t('nav.usage')}</h1>
        <p>{t('usage.explained')}</p>
      </header>
      <PeriodChips chosen={period} onChoose={(name) => change({ period: name })} />
      <div className="row usage-choices">
        <Chips
          label={t('usage.by')}
          values={GROUPINGS}
          chosen={grouping}
          nameOf={(name) => t(`usage.by.${name}`)}
          onChoose={(name) => change({ by: name })}
        />
        {grouping === 'time' && (
          <label className="inline">
            {t('usage.split')}{' '}
            <select value={split} onChange={({ target }) => change({ split: target.value })}>
              {SPLITS.map((name) => (
                <option key={name} value={name}>
                  {t(`usage.by.${name}`)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <UsageReport key={`${by} ${period} ${split}`} by={by} period={period} split={split} />
    </div>
  )
}

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** Each with its cost, so that today and this week can be read at a glance. */
function PeriodChips({ chosen, onChoose }: { chosen: Period; onChoose(period: Period): void }) {
  const days = useLoaded(
    () =>
      client.usage({
        query: { by: 'day', since: startOf('quarter', Date.now()).toISOString(), timeZone },
      }),
    EVERY_MS,
  ).value?.usage
  return (
    <Chips
      label={t('usage.period')}
      values={PERIODS}
      chosen={chosen}
      nameOf={(period) => (
        <>
          {t(`usage.period.${period}`)}{' '}
          {days && <strong className="number">{money(costOf(days, period, Date.now()))}</strong>}
        </>
      )}
      onChoose={onChoose}
    />
  )
}

interface UsageReportProps {
  by: UsageBy
  period: Period
  split: UsageSplit
}

function UsageReport({ by, period, split }: UsageReportProps) {
  const sessions = useStore((state) => state.sessions)
  const isOverTime = by === 'hour' || by === 'day'
  const usage = useLoaded(() => {
    const since = startOf(period, Date.now()).toISOString()
    return client.usage({ query: { by, since, timeZone, ...(isOverTime && { split }) } })
  }, EVERY_MS)
  const slots = useMemo(() => slotsOf(period, Date.now()), [period])
  if (usage.problem) return <p role="alert">{usage.problem}</p>
  if (!usage.value) return <p className="empty">{t('loading')}</p>
  const { usage: rows, total, billing } = usage.value
  if (rows.length === 0) return <p className="empty">{t('usage.none')}</p>
  const measure = measureOf(total)
  const shown = isOverTime
    ? rows
    : rows.toSorted((one, other) => valueOf(other, measure) - valueOf(one, measure))
  return (
    <>
      <section className="totals">
        <Total name={t('cost')} value={costLabel(total)} />
        <Total name={t('usage.in')} value={compact(totalInput(total))} />
        <Total name={t('usage.out')} value={compact(total.outputTokens)} />
        <Total name={t('nav.sessions')} value={number(total.sessions)} />
      </section>
      {total.unpriced.length > 0 && (
        <p className="muted">
          {t('usage.unpriced', { models: printable(total.unpriced.map(modelName).join(', ')) })}
        </p>
      )}
      {total.sources.includes('scripted') && <p className="muted">{t('usage.scripted')}</p>}
      {billing === 'subscription' && <p className="muted">{t('usage.subscription')}</p>}
      {isOverTime ? (
        <StackedColumns
          rows={rows}
          slots={slots}
          by={by}
          split={split}
          series={seriesOf(total.shares ?? [], measure)}
          measure={measure}
        />
      ) : (
        <Shares rows={shown} measure={measure} nameOfRow={({ key }) => rowName(key, by, sessions.get(key))} />
      )}
      <UsageTable rows={shown} by={by} split={split} measure={measure} />
    </>
  )
}

function totalInput({ inputTokens, cacheReadInputTokens, cacheCreationInputTokens }: UsageRow): number {
  return inputTokens + cacheReadInputTokens + cacheCreationInputTokens
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <p className="card total">
      <strong>{value}</strong>
      <span>{name}</span>
    </p>
  )
}
