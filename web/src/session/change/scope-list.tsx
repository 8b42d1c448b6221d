import { useMemo } from 'react'
import type { Change } from '../../../../src/protocol/index.js'
import { count, t, time } from '../../i18n/i18n.js'
import type { OpenSession } from '../../store/state.js'
import { callDetail, toolName } from '../../tool/call.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { Counts } from './file-diff.js'
import { agentsIn, groupByTurn, readScope, type Scope, scopeKey } from './scope.js'

interface ScopeListProps {
  open: OpenSession
  changes: readonly Change[]
  scope: Scope
  /** No room for a list beside the lines. */
  isNarrow: boolean
  onScope(scope: Scope): void
  /** Null: the user cannot undo. */
  onUndo: ((scope: Scope) => void) | null
}

/** Everything that can be shown: the session, its turns, its calls, its agents, and comparisons with a state. */
export function ScopeList({ open, changes, scope, isNarrow, onScope, onUndo }: ScopeListProps) {
  const names = useMemo(() => callNames(open), [open])
  const groups = useMemo(() => groupByTurn(changes), [changes])
  const agents = useMemo(() => agentsIn(changes), [changes])
  const current = scopeKey(scope)
  if (isNarrow)
    return (
      <label className="scope-choice">
        <span className="visually-hidden">{t('changes.show')}</span>
        <select value={current} onChange={(event) => onScope(readScope(event.target.value))}>
          <option value="all">{t('changes.all')}</option>
          <option value="start">{t('changes.since_start')}</option>
          <option value="head">{t('changes.since_head')}</option>
          {agents.map((agent) => (
            <option key={agent} value={`agent:${agent}`}>
              {t('changes.of_agent', { agent })}
            </option>
          ))}
          {groups.flatMap(({ turn, changes: own }) => [
            turn !== null && (
              <option key={turn} value={`turn:${turn}`}>
                {t('changes.turn', { turn })}
              </option>
            ),
            ...own.map((change) => (
              <option key={change.id} value={`change:${change.id}`}>
                {'\u2003'}
                {labelOf(change, names)}
              </option>
            )),
          ])}
        </select>
      </label>
    )
  const button = (of: Scope, label: string, className = 'scope') => (
    <button
      type="button"
      className={className}
      aria-current={scopeKey(of) === current ? 'true' : undefined}
      onClick={() => onScope(of)}
    >
      <span className="grow truncate">{label}</span>
    </button>
  )
  return (
    <nav className="scopes" aria-label={t('changes.show')}>
      {button({ kind: 'all' }, t('changes.all'))}
      {button({ kind: 'start' }, t('changes.since_start'))}
      {button({ kind: 'head' }, t('changes.since_head'))}
      {agents.map((agent) => (
        <div key={agent}>{button({ kind: 'agent', agent }, t('changes.of_agent', { agent }))}</div>
      ))}
      {groups.map(({ turn, changes: own }) => (
        <section key={own[0]?.id}>
          {turn !== null && (
            <div className="scope-turn row">
              {button({ kind: 'turn', turn }, t('changes.turn', { turn }), 'scope turn grow')}
              {onUndo && own.some(({ isUndone }) => !isUndone) && (
                <UndoButton
                  label={t('changes.undo_turn', { turn })}
                  onClick={() => onUndo({ kind: 'turn', turn })}
                />
              )}
            </div>
          )}
          {own.map((change) => (
            <ChangeRow
              key={change.id}
              change={change}
              label={labelOf(change, names)}
              isCurrent={current === `change:${change.id}`}
              onOpen={() => onScope({ kind: 'change', change: change.id })}
              onUndo={onUndo && !change.isUndone ? () => onUndo({ kind: 'change', change: change.id }) : null}
            />
          ))}
        </section>
      ))}
    </nav>
  )
}

interface ChangeRowProps {
  change: Change
  label: string
  isCurrent: boolean
  onOpen(): void
  onUndo: (() => void) | null
}

function ChangeRow({ change, label, isCurrent, onOpen, onUndo }: ChangeRowProps) {
  const { source, isUndone, isShared, totals, at, by, isRedo } = change
  const isUndo = source === 'undo'
  return (
    <div className={isUndone ? 'scope-change row undone' : 'scope-change row'}>
      <button
        type="button"
        className="scope grow"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
      >
        <span className="grow truncate" title={label}>
          {isUndo
            ? `${t(isRedo ? 'changes.redone_by' : 'changes.undone_by', { who: printable(by?.who ?? '') })} · ${time(at)}`
            : label}
        </span>
        {isUndone && <span className="badge">{t('changes.undone')}</span>}
        {source === 'background' && <span className="badge">{t('background')}</span>}
        {isShared && <span className="badge amber">{t('changes.shared')}</span>}
        <Counts insertions={totals.insertions} deletions={totals.deletions} />
      </button>
      {onUndo && (
        <UndoButton
          label={isUndo && !isRedo ? t('changes.redo') : `${t('changes.undo')}: ${label}`}
          isRedo={isUndo && !isRedo}
          onClick={onUndo}
        />
      )}
    </div>
  )
}

function UndoButton({
  label,
  isRedo = false,
  onClick,
}: {
  label: string
  isRedo?: boolean
  onClick(): void
}) {
  return (
    <button type="button" className="plain icon-only" aria-label={label} title={label} onClick={onClick}>
      <Icon name={isRedo ? 'redo' : 'undo'} />
    </button>
  )
}

/** The calls of the loaded events: tool and what it was called with. */
function callNames({ events, session }: OpenSession): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { type, data } of events)
    if (type === 'tool.requested')
      names.set(data.toolUseId, `${toolName(data.name)} ${callDetail(data.input, session?.cwd ?? '')}`.trim())
  return names
}

function labelOf({ toolUseIds, files, source, totals }: Change, names: ReadonlyMap<string, string>): string {
  const known = toolUseIds.flatMap((id) => names.get(id) ?? []).join(' + ')
  if (known !== '') return printable(known)
  if (source === 'terminal') return t('changes.in_terminal')
  return printable(files[0]?.path ?? '') || count('changes.files', totals.files)
}
