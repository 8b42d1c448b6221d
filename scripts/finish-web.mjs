/**
 * The last step of the dashboard's build: preloads the data of the first view, lists the files of the shell for the service
 * worker, and writes a brotli and a gzip variant beside every text file, so that the server compresses nothing while it runs.
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const WEB = fileURLToPath(new URL('../dist/web/', import.meta.url))
const TEXT = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest'])

/** As in web/src/store/login.ts. An address that the page does not ask for would be loaded for nothing: a test counts. */
const FIRST_DATA = [
  '/api/v1/about',
  '/api/v1/sessions?limit=1000',
  '/api/v1/requests?state=pending&amp;limit=1000',
]

writeServiceWorker()
preloadData()
for (const name of filesBelow(WEB)) if (TEXT.has(extname(name))) compress(join(WEB, name))

/**
 * The list and its digest are part of the script: a browser installs a new worker exactly when the shell has changed.
 * Chunks that are loaded on demand are not in the list; they are cached when they are first used.
 */
function writeServiceWorker() {
  const file = join(WEB, 'service-worker.js')
  const html = readFileSync(join(WEB, 'index.html'), 'utf8')
  const names = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name]) => name)
  const shell = ['/', ...new Set(names)]
  const digest = createHash('sha256')
  for (const name of shell)
    digest.update(name).update(readFileSync(join(WEB, name === '/' ? 'index.html' : name)))
  let text = readFileSync(file, 'utf8')
  const fill = (from, to) => {
    if (!text.includes(from)) throw new Error(`service-worker.js does not contain ${from}`)
    text = text.replace(from, to)
  }
  fill("const VERSION = 'unbuilt'", `const VERSION = '${digest.digest('hex').slice(0, 16)}'`)
  fill("const SHELL_FILES = ['/']", `const SHELL_FILES = ${JSON.stringify(shell)}`)
  writeFileSync(file, text)
}

/** The browser asks for the data at once, not when it has loaded and run the script. */
function preloadData() {
  const file = join(WEB, 'index.html')
  const html = readFileSync(file, 'utf8')
  const links = FIRST_DATA.map((path) => `    <link rel="preload" as="fetch" crossorigin href="${path}">\n`)
  writeFileSync(file, html.replace('  </head>', `${links.join('')}  </head>`))
}

/** A variant that is not smaller is not written. */
function compress(file) {
  const plain = readFileSync(file)
  const variants = {
    br: brotliCompressSync(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
      },
    }),
    gz: gzipSync(plain, { level: 9 }),
  }
  for (const [extension, bytes] of Object.entries(variants))
    if (bytes.length < plain.length) writeFileSync(`${file}.${extension}`, bytes)
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
}
