/** Whether processes of sessions outlive the daemon of a home, in words. */

import { join } from 'node:path'
import type { Config } from '../config.js'
import { keeperObstacle } from '../session/keeper/keeper-client.js'

export function keeperState(
  home: string,
  { keeper, keepMs }: Pick<Config, 'keeper' | 'keepMs'>,
): { isInForce: boolean; found: string } {
  if (keeper === 'off')
    return { isInForce: false, found: 'off: processes of sessions end with the daemon (setting keeper)' }
  const obstacle = keeperObstacle(join(home, 'run'))
  if (obstacle !== null)
    return { isInForce: false, found: `processes of sessions end with the daemon: ${obstacle}` }
  const minutes = Math.round(keepMs / 6_000) / 10
  return { isInForce: true, found: `processes of sessions outlive the daemon for ${minutes} min` }
}
