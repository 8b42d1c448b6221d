/** The dashboard's files, with the headers that keep it to itself. */

import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'

export interface StaticFiles {
  find(path: string): Promise<{ body: Uint8Array<ArrayBuffer>; headers: Record<string, string> } | null>
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Files of a folder; a path without an ending is a view of the dashboard, which finds its way by itself. */
export function createStaticFiles(folder: string): StaticFiles {
  return {
    async find(path) {
      const name = extname(path) === '' ? '/index.html' : safePath(path)
      const type = TYPES[extname(name)]
      if (!type) return null
      const body = await readFile(join(folder, name)).catch(() => null)
      if (!body) return null
      // Files below assets/ have a digest in their name and never change.
      const isFixed = name.startsWith('/assets/')
      return {
        body: new Uint8Array(body),
        headers: {
          'content-type': type,
          'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
          'content-security-policy': POLICY,
          'x-frame-options': 'DENY',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        },
      }
    },
  }
}

/** Never leaves the folder, whatever dots and codes the path holds. */
function safePath(path: string): string {
  try {
    return normalize(`/${decodeURIComponent(path)}`).replaceAll('\0', '')
  } catch {
    return '/'
  }
}
