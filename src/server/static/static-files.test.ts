import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createServedRuntime, TOKEN } from '../../../test/support/served-runtime.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'

const SCRIPT = 'export const text = 1;'.repeat(100)

async function setup() {
  const webFolder = await temporaryFolder()
  await mkdir(join(webFolder, 'assets'))
  await writeFile(join(webFolder, 'index.html'), '<!doctype html>')
  const file = join(webFolder, 'assets', 'app-1.js')
  await writeFile(file, SCRIPT)
  await writeFile(`${file}.br`, brotliCompressSync(SCRIPT))
  await writeFile(`${file}.gz`, gzipSync(SCRIPT))
  const { url } = await createServedRuntime({ webFolder })
  return { get: (path: string, headers: Record<string, string> = {}) => getBytes(`${url}${path}`, headers) }
}

/** As the bytes are on the wire: `fetch` would decode them. */
async function getBytes(url: string, headers: Record<string, string>) {
  const sent = request(url, { headers }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

test('an asset is sent in the smallest encoding that the client accepts, and as it is without one', async () => {
  const { get } = await setup()

  const [brotli, gzip, plain] = [
    await get('/assets/app-1.js', { 'accept-encoding': 'gzip, br' }),
    await get('/assets/app-1.js', { 'accept-encoding': 'gzip' }),
    await get('/assets/app-1.js'),
  ]

  expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT)
  expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT)
  expect(plain.body.toString()).toBe(SCRIPT)
  expect([brotli, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
    'br',
    'gzip',
    undefined,
  ])
  for (const { headers, body } of [brotli, gzip, plain])
    expect(headers).toMatchObject({
      vary: 'accept-encoding',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(body.length),
      'cache-control': 'public, max-age=31536000, immutable',
    })
  expect(new Set([brotli, gzip, plain].map(({ headers }) => headers['etag'])).size).toBe(3)
})

test('the page is revalidated, and sent again only after a change', async () => {
  const { get } = await setup()
  const first = await get('/')
  expect(first.headers['cache-control']).toBe('no-cache')

  const again = await get('/', { 'if-none-match': String(first.headers['etag']) })

  expect([again.status, again.body.length]).toEqual([304, 0])
  expect((await get('/', { 'if-none-match': '"another"' })).status).toBe(200)
})

test('a file without a compressed variant is sent as it is, and the variants have no address of their own', async () => {
  const { get } = await setup()

  const page = await get('/', { 'accept-encoding': 'br, gzip' })
  const variant = await get('/assets/app-1.js.br')

  expect([page.headers['content-encoding'], page.body.toString()]).toEqual([undefined, '<!doctype html>'])
  expect(variant.status).toBe(404)
})

test('an answer of the API is never compressed', async () => {
  const { get } = await setup()
  const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'br, gzip' }

  for (const path of ['/api/v1/sessions', '/api/v1/openapi.json', '/api/v1/about', '/metrics']) {
    const { status, headers: answered } = await get(path, headers)
    expect([path, status, answered['content-encoding']]).toEqual([path, 200, undefined])
  }
})
