import { useId } from 'react'
import type { RuleScope } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { useHasRole } from '../store/state.js'

const PLACES = ['session', 'folder', 'everywhere'] as const
export const ENDS = ['never', 'hour', 'day', 'week', 'month'] as const

export interface Choices {
  /** Null: the narrowest. */
  scope: RuleScope | null
  place: (typeof PLACES)[number]
  end: (typeof ENDS)[number]
}

const HOUR_MS = 3_600_000
const LENGTHS_MS: Readonly<Record<Choices['end'], number | null>> = {
  never: null,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
}

/** From now. Undefined: no end. */
export function endOf(end: Choices['end']): string | undefined {
  const length = LENGTHS_MS[end]
  return length === null ? undefined : new Date(Date.now() + length).toISOString()
}

interface RuleChoicesProps {
  choices: Choices
  /** Narrowest first. */
  scopes: readonly RuleScope[]
  onChange(choices: Choices): void
}

/** The choices for a rule: scope, place and end. A rule is for admins; a grant for the session is not. */
export function RuleChoices({ choices, scopes, onChange }: RuleChoicesProps) {
  const isAdmin = useHasRole('admin')
  const name = useId()
  const scope = choices.scope ?? scopes[0] ?? null
  return (
    <>
      {choices.place !== 'session' && scopes.length > 0 && (
        <fieldset>
          <legend>{t('rule.scope')}</legend>
          {scopes.map((value) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name={`${name} scope`}
                checked={scope === value}
                onChange={() => onChange({ ...choices, scope: value })}
              />{' '}
              {t(`rule.scope.${value}`)}
            </label>
          ))}
        </fieldset>
      )}
      <fieldset>
        <legend>{t('rule.place')}</legend>
        {PLACES.map((value) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name={`${name} place`}
              checked={choices.place === value}
              disabled={value !== 'session' && !isAdmin}
              onChange={() => onChange({ ...choices, place: value })}
            />{' '}
            {t(`rule.place.${value}`)}
          </label>
        ))}
      </fieldset>
      <label>
        {t('rule.until')}{' '}
        <select
          value={choices.end}
          onChange={({ target }) =>
            onChange({ ...choices, end: ENDS.find((end) => end === target.value) ?? 'never' })
          }
        >
          {ENDS.map((end) => (
            <option key={end} value={end}>
              {t(`rule.until.${end}`)}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
