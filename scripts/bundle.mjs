/**
 * Joins the command line and the daemon, with the small libraries that they use, into a few files in `dist/bin`: Node takes
 * longer to find and open hundreds of files than to run them, and longer for modules than for files of the older form. The
 * library's own files stay as they are.
 */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
/** Loaded when they are needed, with files of their own beside them. */
const LEFT_OUT = [/^@anthropic-ai\//, /^@modelcontextprotocol\//, /^@photostructure\//]

/**
 * The small files that nearly every command needs, as one: each file takes Node a third of a millisecond. Files that the start of
 * the program needs as well cannot be among them.
 */
const CLIENT =
  /^(?:client\/(?!index)|cli\/(?:all-|command-|connect|quick-fetch|short-id|list\/(?:live-list|request-|session-)|output\/(?:facts|markdown|table|text|time)\.)|protocol\/(?:choice|form\/form-field|view\/(?:preview|session-name))\.)/

const bundle = await rolldown({
  input: { signalbox: join(dist, 'cli/main.js') },
  platform: 'node',
  // Libraries in the older form look for their files at run time, where they would not be found.
  resolve: { mainFields: ['module', 'main'] },
  external: LEFT_OUT,
  plugins: [{ name: 'place', transform: { filter: { code: /import\.meta\.url/ }, handler: keepPlace } }],
})
await bundle.write({
  dir: join(dist, 'bin'),
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: {
    // The libraries behind them stay where they are: zod alone would double the time of a command.
    includeDependenciesRecursively: false,
    groups: [{ name: 'client', test: (file) => CLIENT.test(file.slice(dist.length)) }],
  },
})
await bundle.close()

/** Keeps `import.meta.url` valid in the bundle, for files beside a module: the bundle is one folder below `dist`. */
function keepPlace(code, file) {
  if (!file.startsWith(dist)) return null
  const place = `require('node:path').join(__dirname, '..', ${JSON.stringify(file.slice(dist.length))})`
  return code.replaceAll('import.meta.url', `require('node:url').pathToFileURL(${place}).href`)
}
