/** Checks the service file, if one is installed for this home. */

import { managerFor, programs } from '../command/service.js'
import { realPath } from '../service/service-manager.js'
import { readServiceStatus } from '../service/status.js'
import type { Finding } from './finding.js'

export function checkService(path: string): Finding {
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    return { name: 'Service', state: 'ok', found: `not supported on ${process.platform}` }
  const home = realPath(path)
  const { fileState, problems, state, name } = readServiceStatus(managerFor(home), home, programs())
  const [problem] = problems.toSorted((one, other) => Number(other.isBroken) - Number(one.isBroken))
  if (problem)
    return {
      name: 'Service',
      state: problem.isBroken ? 'broken' : 'warning',
      found: problem.found,
      fix: problem.fix,
    }
  if (fileState === 'missing')
    return { name: 'Service', state: 'ok', found: 'not installed; optional: signalbox service install' }
  if (state.isActive) return { name: 'Service', state: 'ok', found: `${name} is running` }
  return {
    name: 'Service',
    state: 'warning',
    found: `${name} is installed but not running: ${state.detail}`,
    fix: 'Run "signalbox service logs".',
  }
}
