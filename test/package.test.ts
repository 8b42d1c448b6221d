/** The published and committed files: complete, exact, and without a trace of the machine they were made on. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((name) => name !== '' && !name.endsWith('.png') && existsSync(join(ROOT, name)))

test('every dependency is pinned to one version', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Manifest
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  )
  expect(loose).toEqual([])
})

test('no file names a registry or a path of a machine', () => {
  const host = /(?:registry|deb)\.[a-z-]+\.(?:org|com|io|net)/
  const path = /\/(?:root|work|farm|Users)\/[a-z]|\/tmp\/[a-z]+-[A-Za-z0-9]{6}/
  const found = tracked.flatMap((name) =>
    read(name)
      .split('\n')
      .filter((line) => host.test(line) || (path.test(line) && !line.includes('/work/')))
      .map((line) => `${name}: ${line.slice(0, 120)}`),
  )
  expect(found).toEqual([])
})

test('no file holds the marks of a merge that was left half done', () => {
  const mark = /^(?:<{7}|>{7}|={7})(?: |$)/m
  expect(tracked.filter((name) => mark.test(read(name)))).toEqual([])
})

test('the lock file holds no addresses, and every package that another one may want for its platform', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>
  }
  expect(Object.values(packages).filter((entry) => entry.resolved !== undefined)).toEqual([])
  const missing = Object.values(packages)
    .flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
    .filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)))
  expect(missing).toEqual([])
})

test('what the README links to is in the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const links = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  const isPacked = (path: string) =>
    files.some((name) => path === name || (!name.startsWith('!') && path.startsWith(`${name}/`)))
  expect(links.length).toBeGreaterThan(5)
  expect(links.filter((path) => !isPacked(path))).toEqual([])
})
