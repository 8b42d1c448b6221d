import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

interface Modules {
  getModuleInfo(id: string): { isEntry: boolean; importers: string[]; importedIds: string[] } | null
}

/** Whether a module is loaded with the page, and not on demand. */
function isFirst(id: string, modules: Modules, seen = new Set<string>()): boolean {
  const info = modules.getModuleInfo(id)
  if (!info || seen.has(id)) return false
  seen.add(id)
  return info.isEntry || info.importers.some((importer) => isFirst(importer, modules, seen))
}

/** Schemas are reached through the index of the protocol, but the first view uses none. */
function isSchema(id: string, modules: Modules): boolean {
  const imported = modules.getModuleInfo(id)?.importedIds ?? []
  return [id, ...imported].some((name) => name.includes('/zod/'))
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Chunks: each language of the highlighter is loaded when it is needed.
  worker: { format: 'es' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // CSP: data: URLs are not allowed for scripts and styles.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // Importing a file of the program does nothing, so what the page does not use of the protocol is left out.
      treeshake: { moduleSideEffects: (id) => !/(?<!\/web)\/src\/(?:protocol|client|lib)\//.test(id) },
      output: {
        // One file for the first view: each more would wait for one of the six connections of a browser.
        codeSplitting: {
          groups: [
            {
              debugName: 'first',
              name: (id, modules) => (isFirst(id, modules) && !isSchema(id, modules) ? 'first' : null),
            },
          ],
        },
        // CSP: zod compiles schemas with eval for speed, which the page forbids. The setting must come before the first
        // schema is created, in whichever chunk that is.
        intro: ({ moduleIds }) =>
          moduleIds.some((id) => id.includes('/zod/'))
            ? '(globalThis.__zod_globalConfig ??= {}).jitless = true;'
            : '',
      },
    },
  },
})
