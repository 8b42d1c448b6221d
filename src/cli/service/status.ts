/** `signalbox service status`, and what `doctor` says about the service. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ENVIRONMENT_FILE, variableNames } from './environment-file.js'
import { textIn } from './private-file.js'
import { findUnsafeProgram } from './safe-program.js'
import { readServiceFile, type ServiceFile } from './service-file.js'
import type { ServiceManager, ServiceState } from './service-manager.js'
import type { ServiceSpec } from './service-spec.js'

export interface ServiceProblem {
  found: string
  fix: string
  /** Whether the service does not work, or is not safe, because of it. */
  isBroken: boolean
}

export interface ServiceStatus {
  manager: ServiceManager['kind']
  name: string
  file: string
  fileState: ServiceFile['state']
  spec: ServiceSpec | null
  environmentFile: string
  /** Names of the variables in the environment file. */
  variables: string[]
  state: ServiceState
  problems: ServiceProblem[]
}

export function readServiceStatus(
  manager: ServiceManager,
  home: string,
  programs: Pick<ServiceSpec, 'node' | 'program'>,
): ServiceStatus {
  const found = readServiceFile(manager, programs)
  const environmentFile = join(home, ENVIRONMENT_FILE)
  const spec = 'spec' in found ? found.spec : null
  return {
    manager: manager.kind,
    name: manager.name,
    file: manager.file,
    fileState: found.state,
    spec,
    environmentFile,
    variables: variableNames(textIn(environmentFile) ?? ''),
    state: manager.state(),
    problems: [
      ...problemsOfFile(manager, found, programs),
      ...problemsOfPrograms(spec),
      ...problemsOfEnvironment(environmentFile),
    ],
  }
}

const INSTALL = 'signalbox service install'

function problemsOfFile(
  { file, overrides }: ServiceManager,
  found: ServiceFile,
  { node, program }: Pick<ServiceSpec, 'node' | 'program'>,
): ServiceProblem[] {
  switch (found.state) {
    case 'missing':
    case 'current':
      return []
    case 'outdated':
      return [
        {
          found: outdated(file, found.spec, [node, program]),
          fix: `Run "${INSTALL} --restart".`,
          isBroken: false,
        },
      ]
    case 'edited': {
      const where =
        overrides === null ? '' : `Move the changes to ${join(overrides, 'override.conf')}, then run `
      const fix = `${where}"${INSTALL} --replace"`
      return [{ found: `${file} was edited since it was installed.`, fix: `${fix}.`, isBroken: false }]
    }
    case 'foreign':
      return [
        {
          found: `${file} was not written by Signalbox.`,
          fix: `Check it. "${INSTALL} --replace" replaces it and keeps a copy.`,
          isBroken: false,
        },
      ]
  }
}

function outdated(file: string, spec: ServiceSpec | null, now: readonly string[]): string {
  const before = spec && [spec.node, spec.program]
  return before && before.join('\n') !== now.join('\n')
    ? `${file} is outdated: it starts ${before.join(' ')}, and this is ${now.join(' ')}.`
    : `${file} is outdated.`
}

function problemsOfPrograms(spec: ServiceSpec | null): ServiceProblem[] {
  const unsafe = spec && findUnsafeProgram(spec.node, spec.program)
  if (!unsafe) return []
  return [{ found: `The service starts ${unsafe.path}. ${unsafe.problem}`, fix: unsafe.fix, isBroken: true }]
}

function problemsOfEnvironment(file: string): ServiceProblem[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if (process.platform === 'win32' || (mode & 0o077) === 0) return []
  return [{ found: `Other users can read ${file}.`, fix: `chmod 600 ${file}`, isBroken: true }]
}
