/** The only place that makes notices, so that each is either translatable or a quotation. */

import { reasonText } from '../reason/reason.js'
import type { ReasonPart } from '../reason/reason-part.js'
import type { DataOf, EventDraft } from './event.js'

type Notice = DataOf<'notice.raised'>

/** Made of codes and parameters, so that it can be shown in other languages. */
export function raiseNotice(
  level: Notice['level'],
  topic: string,
  why: ReasonPart | readonly ReasonPart[],
  details?: Notice['details'],
): EventDraft {
  const parts = 'code' in why ? [why] : [...why]
  const data = { level, topic, text: reasonText(parts), textParts: parts, ...(details && { details }) }
  return { type: 'notice.raised', data }
}

/** Words of Claude Code or of the model's server, shown unchanged. */
export function quoteNotice(
  level: Notice['level'],
  topic: string,
  text: string,
  details?: Notice['details'],
): EventDraft {
  return { type: 'notice.raised', data: { level, topic, text, ...(details && { details }) } }
}
