import '../style/grid.css'
import { type CSSProperties, useEffect, useMemo, useState } from 'react'
import type { Session } from '../../../src/protocol/index.js'
import { count, t } from '../i18n/i18n.js'
import { navigate, sessionPath } from '../route.js'
import { needsUser } from '../session/condition-label.js'
import { oldestRequests } from '../session/oldest-request.js'
import { useStore } from '../store/state.js'
import { Chips } from '../ui/chips.js'
import { useAddressQuery } from '../ui/use-address-query.js'
import { useKeys } from '../ui/use-keys.js'
import { isShown, keptOrder, SHOWN, type Shown, SIZES, sortedIds } from './choose.js'
import { Tile } from './tile.js'
import { TailsContext, useTails } from './use-tails.js'

const FIRST_QUERY = { show: 'active', size: '6', page: '1' }

/** Several sessions at once, each with its live tail and its request. The address holds what is shown. */
export function GridView() {
  const { draft, change } = useAddressQuery('/grid', FIRST_QUERY)
  const shown = SHOWN.find((name) => name === draft.show) ?? 'active'
  const size = SIZES.find((number) => String(number) === draft.size) ?? 6
  const sessions = useStore((state) => state.sessions)
  const requests = useStore((state) => state.requests)
  const isLoaded = useStore((state) => state.isLoaded)
  const { ids, hidden, sortAgain } = useOrder(sessions, shown, size)
  const pages = Math.max(1, Math.ceil(ids.length / size))
  const page = Math.min(pages, Math.max(1, Number(draft.page) || 1))
  const onPage = useMemo(() => ids.slice((page - 1) * size, page * size), [ids, page, size])
  const tails = useTails(onPage)
  const [currentId, setCurrentId] = useState<string | null>(null)
  const current = onPage.includes(currentId ?? '') ? currentId : (onPage[0] ?? null)
  const oldest = useMemo(() => oldestRequests(requests.values()), [requests])

  const step = (by: number) => {
    const at = onPage.indexOf(current ?? '')
    const next = onPage[Math.max(0, Math.min(onPage.length - 1, at + by))]
    if (next === undefined) return
    setCurrentId(next)
    const tile = document.getElementById(`tile-${next}`)
    tile?.scrollIntoView({ block: 'nearest' })
    tile?.querySelector<HTMLElement>('.tile-head a')?.focus({ preventScroll: true })
  }
  const turn = (by: number) => change({ page: String(Math.max(1, Math.min(pages, page + by))) })
  const press = (act: string) => {
    const button = document.querySelector<HTMLButtonElement>(`.tile.current [data-act="${act}"]`)
    if (button && !button.disabled) button.click()
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    '[': () => turn(-1),
    ']': () => turn(1),
    a: () => press('allow'),
    d: () => press('deny'),
    e: () => press('edit'),
    Enter: () => current !== null && navigate(sessionPath(current)),
  })
  const waiting = hidden(page)
  return (
    <div className="page grid-page" style={{ '--columns': Math.ceil(Math.sqrt(size)) } as CSSProperties}>
      <header className="row grid-head">
        <h1>{t('nav.grid')}</h1>
        <Chips
          label={t('grid.show')}
          values={SHOWN}
          chosen={shown}
          nameOf={(name) => t(`grid.show.${name}`)}
          onChoose={(show) => change({ show, page: '1' })}
        />
        <span className="grow" />
        {waiting > 0 && (
          <button type="button" onClick={() => (sortAgain(), change({ page: '1' }))}>
            {count('grid.waiting', waiting)}
          </button>
        )}
        <label className="inline">
          {t('grid.size')}{' '}
          <select value={size} onChange={({ target }) => change({ size: target.value, page: '1' })}>
            {SIZES.map((number) => (
              <option key={number} value={number}>
                {number}
              </option>
            ))}
          </select>
        </label>
        {pages > 1 && (
          <span className="row pages">
            <button
              type="button"
              disabled={page === 1}
              aria-label={t('grid.previous')}
              onClick={() => turn(-1)}
            >
              ‹
            </button>
            <span role="status">{t('grid.page', { page, pages })}</span>
            <button
              type="button"
              disabled={page === pages}
              aria-label={t('grid.next')}
              onClick={() => turn(1)}
            >
              ›
            </button>
          </span>
        )}
      </header>
      {onPage.length === 0 && <p className="empty">{isLoaded ? t(`grid.none.${shown}`) : t('loading')}</p>}
      <TailsContext value={tails}>
        <div className="tiles">
          {onPage.map((id) => {
            const session = sessions.get(id)
            return (
              session && (
                <Tile
                  key={id}
                  session={session}
                  request={oldest.get(id)}
                  isCurrent={id === current}
                  onCurrent={setCurrentId}
                />
              )
            )
          })}
        </div>
      </TailsContext>
    </div>
  )
}

/** The order of the tiles, which changes only on request; and how many sessions on other pages need the user. */
function useOrder(sessions: ReadonlyMap<string, Session>, shown: Shown, size: number) {
  const wanted = sortedIds([...sessions.values()].filter((session) => isShown(session, shown)))
  const [order, setOrder] = useState<readonly string[]>(wanted)
  const key = wanted.toSorted().join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the order alone moves nothing.
  useEffect(() => setOrder((before) => keptOrder(before, wanted)), [key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is sorted anew.
  useEffect(() => setOrder(wanted), [shown, size])
  const ids = useMemo(() => order.filter((id) => sessions.has(id)), [order, sessions])
  return {
    ids: useSame(ids),
    hidden: (page: number) =>
      ids
        .filter((_, index) => Math.floor(index / size) !== page - 1)
        .filter((id) => {
          const session = sessions.get(id)
          return session !== undefined && needsUser(session)
        }).length,
    sortAgain: () => setOrder(wanted),
  }
}

/** The same list as long as its content is the same: sessions change with every event, their order does not. */
function useSame(ids: readonly string[]): readonly string[] {
  const [kept, setKept] = useState(ids)
  const isSame = kept.length === ids.length && kept.every((id, index) => id === ids[index])
  useEffect(() => {
    if (!isSame) setKept(ids)
  }, [ids, isSame])
  return isSame ? kept : ids
}
