import type { TextKey } from '../i18n/dictionary.js'
import { t } from '../i18n/i18n.js'
import { Dialog } from '../ui/dialog.js'

/** Keys of a group, each with its effect. */
const GROUPS: readonly [TextKey, readonly [keys: string, TextKey][]][] = [
  [
    'keys.everywhere',
    [
      ['Ctrl+K', 'key.palette'],
      ['g s', 'nav.sessions'],
      ['g i', 'nav.inbox'],
      ['g g', 'nav.grid'],
      ['g n', 'new.title'],
      ['Esc', 'key.escape'],
      ['?', 'keys.title'],
    ],
  ],
  [
    'nav.sessions',
    [
      ['j k', 'key.move'],
      ['Enter', 'key.open'],
      ['/', 'list.search'],
      ['x', 'list.select'],
      ['[', 'list.fold'],
      ['n', 'new.title'],
    ],
  ],
  [
    'keys.requests',
    [
      ['j k', 'key.move'],
      ['a', 'allow'],
      ['d', 'key.deny'],
      ['e', 'edit'],
      ['Enter', 'key.open'],
      ['[ ]', 'key.pages'],
    ],
  ],
  [
    'tab.conversation',
    [
      ['Ctrl+F', 'find.label'],
      ['p P', 'key.prompts'],
      ['Esc Esc', 'interrupt'],
    ],
  ],
]

/** All keyboard shortcuts. */
export function KeyHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={t('keys.title')} isWide onClose={onClose}>
      <div className="key-groups">
        {GROUPS.map(([title, keys]) => (
          <section key={title}>
            <h3>{t(title)}</h3>
            <dl className="keys">
              {keys.map(([names, effect]) => (
                <div key={names}>
                  <dt>
                    {names.split(' ').map((name, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: Esc is pressed twice.
                      <kbd key={index}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{t(effect)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('close')}
        </button>
      </div>
    </Dialog>
  )
}
