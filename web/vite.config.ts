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
  },
})
