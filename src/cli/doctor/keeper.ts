/** Whether processes of sessions outlive the daemon here. */

import type { Config } from '../../config.js'
import { keeperState } from '../../runtime/keeper-state.js'
import type { Finding } from './finding.js'

export function checkKeeper(home: string, config: Config | null): Finding {
  const { keeper = 'off', keepMs = 0 } = config ?? {}
  const { isInForce, found } = keeperState(home, { keeper, keepMs })
  if (isInForce || keeper === 'off') return { name: 'Keeper', state: 'ok', found }
  return {
    name: 'Keeper',
    state: 'warning',
    found,
    fix: 'Choose a home with a shorter path, or set keeper to off.',
  }
}
