/** The Claude Code program that comes with the Agent SDK. */

import { createRequire } from 'node:module'

/** Null if its optional package is not installed. */
export function bundledClaude(): string | null {
  const resolve = createRequire(import.meta.url).resolve
  const { platform, arch } = process
  for (const name of [`${platform}-${arch}`, `${platform}-${arch}-musl`]) {
    try {
      return resolve(`@anthropic-ai/claude-agent-sdk-${name}/claude${platform === 'win32' ? '.exe' : ''}`)
    } catch {
      // The other one, then.
    }
  }
  return null
}
