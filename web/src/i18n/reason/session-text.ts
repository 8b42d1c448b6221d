/** The part of the reasons that has a file of its own in each language. */

import type { ReasonTexts } from '../server-text.js'

type Prefix = 'notice.' | 'process.' | 'end.'

/** Of the older codes with these prefixes, which stand with the decisions. */
type Elsewhere = 'jail.failed' | 'jail.contained' | 'jail.history' | 'jail.required' | 'jail.replaced'

type Code = Exclude<
  Extract<
    keyof ReasonTexts,
    `${Prefix}${string}` | `jail.${string}` | 'request.not-repeated' | 'request.other-message'
  >,
  Elsewhere
>

export type SessionTexts = Readonly<Pick<ReasonTexts, Code>>
