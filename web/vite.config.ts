import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
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
