/** The routes as a client needs them, without their schemas: loading those takes longer than most calls. */

import { type Route, routes } from '../../src/protocol/route.js'

export function endpointTable(): string {
  const rows = Object.entries<Route>(routes).map(([name, { method, path, body, reply, media }]) => {
    const kind = reply === null ? 'events' : media === undefined ? 'json' : 'text'
    return `  ${name}: { method: '${method}', path: '${path}', hasBody: ${body !== undefined}, reply: '${kind}' },`
  })
  return `/** Every route as a client needs it. Made from src/protocol/route.ts by \`npm run docs\`. */

export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
  readonly reply: 'json' | 'text' | 'events'
}

// biome-ignore format: one line a route.
export const endpoints = {
${rows.join('\n')}
} as const satisfies Record<string, Endpoint>
`
}
