import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // A data: address would not pass the page's own content policy for scripts and styles.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The page's content policy forbids making code from text, which zod tries in order to be quicker. It must be
        // told before the first schema is made, in whatever file that ends up.
        intro: ({ moduleIds }) =>
          moduleIds.some((id) => id.includes('/zod/'))
            ? '(globalThis.__zod_globalConfig ??= {}).jitless = true;'
            : '',
      },
    },
  },
})
