import type { ReactNode } from 'react'

/** Content that scrolls above actions that do not: the buttons of a long request are always in view. */
export function RequestFrame({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <div className="request-content" tabIndex={0}>
        {children}
      </div>
      <div className="request-actions">{actions}</div>
    </>
  )
}
