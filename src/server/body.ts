/** Reads the body of a request: bounded, as JSON. */

import { HubError } from '../protocol/error.js'

const DEFAULT_MAX_BYTES = 1024 * 1024

export async function readJson(request: Request, maxBytes = DEFAULT_MAX_BYTES): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const text = await readText(request, maxBytes)
  if (text === '') return {}
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new HubError('request_invalid', 'Send the body as JSON, with "content-type: application/json".')
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new HubError('request_invalid', 'The body is not valid JSON.', {}, { cause })
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  if (!request.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function tooLarge(maxBytes: number): HubError {
  return new HubError('body_too_large', `The body is larger than ${maxBytes} bytes.`, { maxBytes })
}
