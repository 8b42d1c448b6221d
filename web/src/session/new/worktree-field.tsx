import { useState } from 'react'
import type { NewWorktree, Worktree } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { client } from '../../store/state.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'

interface WorktreeFieldProps {
  cwd: string
  /** Null: the session works in the folder itself. */
  value: NewWorktree | null
  onChange(value: NewWorktree | null): void
  onFolder(folder: string): void
}

/** Whether the session gets a worktree of its own, its name, and the worktrees that are there already. */
export function WorktreeField({ cwd, value, onChange, onFolder }: WorktreeFieldProps) {
  const [existing, setExisting] = useState<readonly Worktree[] | null>(null)
  const look = useAttempt(async () => {
    const { worktrees } = await client.listWorktrees({ query: { cwd } })
    setExisting(worktrees.filter(({ isMain }) => !isMain))
  })
  return (
    <fieldset className="worktree-field">
      <label className="row">
        <input
          type="checkbox"
          checked={value !== null}
          onChange={(event) => {
            onChange(event.target.checked ? {} : null)
            if (event.target.checked) look.run()
          }}
        />
        {t('new.worktree')}
      </label>
      {value !== null && (
        <>
          <p className="hint">{t('new.worktree_explained')}</p>
          <label>
            {t('new.worktree_name')}
            <input
              value={value.name ?? ''}
              maxLength={50}
              pattern="[A-Za-z0-9](?:[A-Za-z0-9._\-]{0,48}[A-Za-z0-9])?"
              placeholder={t('new.worktree_from_prompt')}
              onChange={(event) => onChange(event.target.value === '' ? {} : { name: event.target.value })}
            />
          </label>
          {look.problem && <p role="alert">{look.problem}</p>}
          {existing && existing.length > 0 && (
            <label>
              {t('new.worktree_existing')}
              <select
                value=""
                onChange={(event) => {
                  onFolder(event.target.value)
                  onChange(null)
                }}
              >
                <option value="">…</option>
                {existing.map(({ path, branch }) => (
                  <option key={path} value={path}>
                    {printable(`${branch ?? ''} ${path}`)}
                  </option>
                ))}
              </select>
            </label>
          )}
        </>
      )}
    </fieldset>
  )
}
