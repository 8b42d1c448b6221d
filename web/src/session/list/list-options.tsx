import { t } from '../../i18n/i18n.js'
import { Menu } from '../../ui/menu.js'
import { type ListView, SORTS, setListView, useListView } from './list-view.js'

const TOGGLES = ['isByFolder', 'isCompact', 'showsArchived'] as const satisfies readonly (keyof ListView)[]

/** How the list is sorted, grouped and shown. */
export function ListOptions() {
  const view = useListView()
  return (
    <Menu label={t('list.view')} icon="settings">
      {TOGGLES.map((name) => (
        <button
          key={name}
          type="button"
          className="plain"
          aria-pressed={view[name]}
          onClick={() => setListView({ [name]: !view[name] })}
        >
          {t(`list.view.${name}`)}
        </button>
      ))}
      {SORTS.map((sort) => (
        <button
          key={sort}
          type="button"
          className="plain"
          aria-pressed={view.sort === sort}
          onClick={() => setListView({ sort })}
        >
          {t(`list.sort.${sort}`)}
        </button>
      ))}
    </Menu>
  )
}
