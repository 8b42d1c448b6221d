/** The service file on disk: whether it is ours, unchanged, and up to date. */

import { lstatSync, readFileSync } from 'node:fs'
import type { ServiceManager } from './service-manager.js'
import { sealOf, specOf } from './service-mark.js'
import type { ServiceSpec } from './service-spec.js'

export type ServiceFile =
  | { state: 'missing' }
  /** Written by something else, or a link that leads elsewhere. */
  | { state: 'foreign' }
  | { state: 'edited'; spec: ServiceSpec | null }
  /** This version would write another text. */
  | { state: 'outdated'; spec: ServiceSpec | null }
  | { state: 'current'; spec: ServiceSpec }

/** `programs`: those that would be written now; without them the programs in the file are accepted. */
export function readServiceFile(
  manager: ServiceManager,
  programs?: Pick<ServiceSpec, 'node' | 'program'>,
): ServiceFile {
  const entry = lstatSync(manager.file, { throwIfNoEntry: false })
  if (!entry) return { state: 'missing' }
  if (!entry.isFile()) return { state: 'foreign' }
  const text = readFileSync(manager.file, 'utf8')
  const seal = sealOf(text)
  if (seal === 'foreign') return { state: 'foreign' }
  const spec = specOf(text)
  if (seal === 'edited') return { state: 'edited', spec }
  if (spec && manager.textOf({ ...spec, ...programs }) === text) return { state: 'current', spec }
  return { state: 'outdated', spec }
}
