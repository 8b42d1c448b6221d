/** The dashboard's files, with the headers that keep it to itself. */

import { readFile } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'
import { digest } from '../../lib/digest.js'
import { acceptedEncodings, type Encoding } from './content-encoding.js'

export interface StaticFiles {
  /** `accepts`: the header Accept-Encoding. */
  find(path: string, accepts?: string): Promise<StaticFile | null>
}

export interface StaticFile {
  body: Buffer
  etag: string
  headers: Record<string, string>
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

/**
 * Files of a folder; a path without an extension is a view of the dashboard, which has its own router. The build has
 * written compressed variants beside them (scripts/finish-web.mjs). They hold no secrets. Answers of the API are never
 * compressed: they mix secrets with foreign text, and the length of a compressed answer would reveal whether the two match.
 */
export function createStaticFiles(folder: string): StaticFiles {
  return {
    async find(path, accepts) {
      const name = extname(path) === '' ? '/index.html' : decode(path)
      const file = name === null ? null : resolve(folder, `.${name}`)
      // Whatever dots and codes a path holds, it never leaves the folder.
      if (name === null || file === null || !file.startsWith(resolve(folder) + sep)) return null
      const type = TYPES[extname(name)]
      if (!type) return null
      const variant = await readVariant(file, accepts)
      if (!variant) return null
      const { body, encoding } = variant
      // Files below assets/ have a digest in their name and never change.
      const isFixed = name.startsWith('/assets/')
      const etag = `"${digest(body).slice(0, 32)}"`
      return {
        body,
        etag,
        headers: {
          'content-type': type,
          ...(encoding && { 'content-encoding': encoding }),
          vary: 'accept-encoding',
          etag,
          'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
          // Only documents and workers have a policy. On each of the page's scripts it would be 300 bytes for nothing.
          ...(!isFixed && { 'content-security-policy': POLICY, 'x-frame-options': 'DENY' }),
        },
      }
    },
  }
}

const EXTENSIONS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

async function readVariant(
  file: string,
  accepts: string | undefined,
): Promise<{ body: Buffer; encoding: Encoding | null } | null> {
  for (const encoding of acceptedEncodings(accepts)) {
    const body = await readFile(`${file}${EXTENSIONS[encoding]}`).catch(() => null)
    if (body) return { body, encoding }
  }
  const body = await readFile(file).catch(() => null)
  return body && { body, encoding: null }
}

function decode(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}
