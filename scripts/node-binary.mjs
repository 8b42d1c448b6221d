/** Node of another major version, from the npm registry: for tests on every version that the package promises. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../node_modules/.cache/node-versions/', import.meta.url))

/** The path of the program, installed when it is first asked for; null where the registry has none for this machine. */
export function nodeBinary(major) {
  if (Number(process.versions.node.split('.')[0]) === major) return process.execPath
  const folder = join(CACHE, String(major))
  for (const name of packageNames()) {
    const program = join(folder, 'node_modules', name, 'bin', 'node')
    if (existsSync(program) || install(folder, `${name}@${major}`, program)) return program
  }
  return null
}

function packageNames() {
  const kind = `${process.platform}-${process.arch}`
  return [`node-${kind}`, `node-bin-${kind}`]
}

function install(folder, specifier, program) {
  mkdirSync(folder, { recursive: true })
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status } = spawnSync('npm', ['install', ...flags, '--prefix', folder, specifier], {
    stdio: 'ignore',
  })
  return status === 0 && existsSync(program)
}
