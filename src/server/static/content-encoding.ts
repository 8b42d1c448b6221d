/** Which compressed variant of a file a client accepts, and whether it has the file already. */

export type Encoding = 'br' | 'gzip'

/** Smallest first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** The encodings that the header Accept-Encoding allows, best first. Without a header, or with an odd one: none. */
export function acceptedEncodings(header = ''): Encoding[] {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',', 20)) {
    const [name = '', ...parameters] = part.split(';', 4).map((word) => word.trim())
    const weight = parameters.find((word) => word.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0)
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  return ENCODINGS.filter((name) => weightOf(name) > 0).toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  )
}

/** Whether the header If-None-Match names this ETag. Proxies may have weakened it. */
export function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',', 20).some((part) => {
    const word = part.trim()
    return word === '*' || word === etag || word === `W/${etag}`
  })
}
