/**
 * Joins the command line and the daemon, with the small libraries that they use, into a few files in `dist/bin`: Node takes
 * longer to find and open hundreds of files than to run them. The library's own files stay as they are.
 */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
/** Loaded when they are needed, with files of their own beside them. */
const LEFT_OUT = [/^@anthropic-ai\//, /^@modelcontextprotocol\//, /^@photostructure\//]

const bundle = await rolldown({
  input: { signalbox: join(dist, 'cli/main.js') },
  platform: 'node',
  external: LEFT_OUT,
  plugins: [{ name: 'place', transform: { filter: { code: /import\.meta\.url/ }, handler: keepPlace } }],
})
await bundle.write({
  dir: join(dist, 'bin'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()

/** What a file finds beside itself it finds from the bundle too: from one folder below `dist`. */
function keepPlace(code, file) {
  if (!file.startsWith(dist)) return null
  const place = JSON.stringify(`../${file.slice(dist.length)}`)
  return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
}
