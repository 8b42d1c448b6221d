import { useState } from 'react'
import { t } from '../../i18n/i18n.js'
import { ENDS, endOf } from '../../inbox/rule-choices.js'
import { fromLocalTime, localTime } from './rule-field.js'

interface EndFieldProps {
  until: string | undefined
  /** Null: no end. */
  onChange(until: string | null): void
}

/** When a rule ends: not at all, after a while, or at a time. */
export function EndField({ until, onChange }: EndFieldProps) {
  const [way, setWay] = useState<string>(until === undefined ? 'never' : 'at')
  return (
    <div className="field row">
      <label>
        {t('rule.until')}{' '}
        <select
          value={way}
          onChange={({ target }) => {
            setWay(target.value)
            const end = ENDS.find((name) => name === target.value)
            if (end) onChange(endOf(end) ?? null)
          }}
        >
          {ENDS.map((end) => (
            <option key={end} value={end}>
              {t(`rule.until.${end}`)}
            </option>
          ))}
          <option value="at">{t('rule.until.at')}</option>
        </select>
      </label>
      {way === 'at' && (
        <input
          type="datetime-local"
          aria-label={t('rule.until.at')}
          value={until === undefined ? '' : localTime(until)}
          onChange={({ target }) => onChange(fromLocalTime(target.value))}
        />
      )}
    </div>
  )
}
