/**
 * The public API is a promise: a change of it is seen in the diff of `test/api/`, one file for each entry point. Renew them with
 * `npm run api`, and write down in CHANGELOG.md what users must know.
 */

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reportApi } from './support/api-report.js'
import { temporaryFolder } from './support/temporary-folder.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>
}
const ENTRIES = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'string'
    ? []
    : [{ name: name === '.' ? 'index' : name.replace('./', ''), types: target.types }],
)

test('every entry point exports what test/api says, with the same types', { timeout: 120_000 }, async () => {
  const declarations = await temporaryFolder()
  // From the sources as they are now, so that an older build does not count.
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['--declaration', '--emitDeclarationOnly', '--noCheck', '--outDir', declarations]
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...options], { cwd: ROOT })

  expect(ENTRIES.map(({ name }) => name)).toEqual(['index', 'client', 'scripted', 'protocol'])
  for (const { name, types } of ENTRIES) {
    const file = join(ROOT, 'test/api', `${name}.txt`)
    const report = reportApi(join(declarations, types.replace('./dist/', '')))
    if (process.env['WRITE_API'] === '1') writeFileSync(file, report)
    expect
      .soft(report, `${name} has changed. "npm run api" renews test/api; see CONTRIBUTING.md`)
      .toBe(readFileSync(file, 'utf8'))
  }
})
