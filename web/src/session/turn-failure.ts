/** Why a turn failed, in the user's language as far as it is a text of Signalbox. */

import type { StopReason, TranscriptItem } from '../../../src/protocol/index.js'
import type { TextKey } from '../i18n/dictionary.js'
import { t } from '../i18n/i18n.js'
import { reasonLabel } from '../i18n/server-text.js'
import { printable } from '../ui/printable.js'

type TurnItem = Pick<Extract<TranscriptItem, { kind: 'turn' }>, 'stopReason' | 'errors' | 'errorParts'>

export function turnFailure({ stopReason, errors, errorParts }: TurnItem): string {
  const [error] = errors
  const why =
    error === undefined ? stopText(stopReason) : reasonLabel({ reason: error, reasonParts: errorParts })
  return t('turn.failed', { why: printable(why) })
}

function stopText(stopReason: StopReason): string {
  switch (stopReason) {
    case 'finished':
    case 'interrupted':
    case 'tool_deferred':
      return t('stop.unknown')
    default:
      return t(`stop.${stopReason}` satisfies TextKey)
  }
}
