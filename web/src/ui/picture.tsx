import { useState } from 'react'
import { t } from '../i18n/i18n.js'
import { Dialog } from './dialog.js'

/** An image that opens in full size on a click. */
export function Picture({ address, label }: { address: string; label: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="picture"
        aria-label={`${label}: ${t('image.enlarge')}`}
        title={t('image.enlarge')}
        onClick={() => setIsOpen(true)}
      >
        <img className="image" src={address} alt={label} />
      </button>
      {isOpen && (
        <Dialog title={label} isWide onClose={() => setIsOpen(false)}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
          <div className="picture-whole" tabIndex={0}>
            <img src={address} alt={label} />
          </div>
          <div className="row end">
            <button type="button" onClick={() => setIsOpen(false)}>
              {t('close')}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
