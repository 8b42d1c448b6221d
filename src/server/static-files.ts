/** The dashboard's files, with the headers that keep it to itself. */

import { readFile } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'

export interface StaticFiles {
  find(path: string): Promise<{ body: Buffer; headers: Record<string, string> } | null>
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

/** Files of a folder; a path without an extension is a view of the dashboard, which has its own router. */
export function createStaticFiles(folder: string): StaticFiles {
  return {
    async find(path) {
      const name = extname(path) === '' ? '/index.html' : decode(path)
      const file = name === null ? null : resolve(folder, `.${name}`)
      // Whatever dots and codes a path holds, it never leaves the folder.
      if (name === null || file === null || !file.startsWith(resolve(folder) + sep)) return null
      const type = TYPES[extname(name)]
      if (!type) return null
      const body = await readFile(file).catch(() => null)
      if (!body) return null
      // Files below assets/ have a digest in their name and never change.
      const isFixed = name.startsWith('/assets/')
      return {
        body,
        headers: {
          'content-type': type,
          'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
          'content-security-policy': POLICY,
          'x-frame-options': 'DENY',
        },
      }
    },
  }
}

function decode(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}
