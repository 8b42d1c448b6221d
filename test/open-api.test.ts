/** The OpenAPI document, as others will use it. */

import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generate, HttpClient } from 'openapi-typescript-codegen'
import { expect, test } from 'vitest'
import { type Route, routes } from '../src/protocol/route.js'
import { openApiDocument } from '../src/server/open-api.js'
import { createServedRuntime, TOKEN } from './support/served-runtime.js'
import { temporaryFolder } from './support/temporary-folder.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

test('it is valid, and has every route of the table', async () => {
  const document = openApiDocument()
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect([valid, errors]).toEqual([true, undefined])
  const operations = Object.values(
    document['paths'] as Record<string, Record<string, { operationId: string }>>,
  )
    .flatMap((path) => Object.values(path))
    .map(({ operationId }) => operationId)
  expect(operations.toSorted()).toEqual(Object.keys(routes).toSorted())
})

test('every parameter of a path is named, and every reference leads somewhere', () => {
  const document = openApiDocument()
  const { schemas } = document['components'] as { schemas: Record<string, unknown> }
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1])
  expect(references.length).toBeGreaterThan(20)
  expect(
    references.filter((name) => !name?.startsWith('#/components/schemas/') || !(name.slice(21) in schemas)),
  ).toEqual([])
  for (const route of Object.values(routes as Record<string, Route>)) {
    const named = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
    expect(Object.keys(route.params?.shape ?? {}).toSorted()).toEqual(named.toSorted())
  }
})

test('it is served', async () => {
  const { ask } = await createServedRuntime()
  expect(await (await ask('/api/v1/openapi.json')).json()).toEqual(openApiDocument())
})

test('a client that a common generator makes of it compiles and lists sessions', {
  timeout: 120_000,
}, async () => {
  const { url, createSession } = await createServedRuntime()
  const { id } = await createSession()
  const output = await temporaryFolder()
  // The generator reads its input from a copy: it writes into what it is given.
  await generate({ input: structuredClone(openApiDocument()), output, httpClient: HttpClient.FETCH })
  await writeFile(join(output, 'package.json'), '{ "type": "commonjs" }')
  expect(compile(output)).toBe('')
  const { DefaultService, OpenAPI } = (await import(pathToFileURL(join(output, 'built/index.js')).href)) as {
    DefaultService: { listSessions(): Promise<{ sessions: { id: string }[] }> }
    OpenAPI: { BASE: string; TOKEN: string }
  }
  OpenAPI.BASE = url
  OpenAPI.TOKEN = TOKEN

  const { sessions } = await DefaultService.listSessions()

  expect(sessions.map((session) => session.id)).toEqual([id])
})

/** The output of the compiler; empty if there are no errors. */
function compile(folder: string): string {
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '--ignoreConfig',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--lib',
      'es2022,dom,dom.iterable',
      '--types',
      '',
      '--outDir',
      join(folder, 'built'),
      join(folder, 'index.ts'),
    ],
    { encoding: 'utf8' },
  )
  return stdout
}
