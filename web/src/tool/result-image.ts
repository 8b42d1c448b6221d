/** Finds the images in the result of a tool, in whichever shape the tool, the API or an MCP server returns them. */

/** SVG is not among them: it can contain scripts and references. */
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const TYPE_FIELDS = ['media_type', 'mimeType', 'mediaType', 'type'] as const
const DATA_FIELDS = ['base64', 'data', 'blob', 'image_data'] as const
const DATA_URL = /^\s*(data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+)\s*$/
const BASE64 = /^[\w+/=\s-]+$/
const MAX_DEPTH = 8
const MAX_IMAGES = 40

/**
 * Images as data: URLs. Known shapes: `{ source: { media_type, data } }` of the API, `{ file: { base64, type } }` of Read,
 * `{ data, mimeType }` and `{ resource: { blob, mimeType } }` of MCP, `{ image_data, media_type }` of notebooks, and a
 * data: URL as the output of a command.
 */
export function resultImages(result: unknown): string[] {
  const found: string[] = []
  collect(result, 0, found)
  return found
}

function collect(value: unknown, depth: number, found: string[]): void {
  if (depth > MAX_DEPTH || found.length >= MAX_IMAGES || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) collect(item, depth + 1, found)
    return
  }
  const fields = value as Readonly<Record<string, unknown>>
  const image = imageOf(fields)
  if (image !== null) {
    found.push(image)
    return
  }
  for (const field of Object.values(fields)) collect(field, depth + 1, found)
}

function imageOf(fields: Readonly<Record<string, unknown>>): string | null {
  const type = TYPE_FIELDS.map((name) => fields[name]).find((name) => IMAGE_TYPES.has(name))
  const data = DATA_FIELDS.map((name) => fields[name]).find((text) => typeof text === 'string' && text !== '')
  if (typeof type === 'string' && typeof data === 'string' && BASE64.test(data))
    return `data:${type};base64,${data}`
  const { isImage, stdout } = fields
  return isImage === true && typeof stdout === 'string' ? (DATA_URL.exec(stdout)?.[1] ?? null) : null
}
