/** Reads the body of a request: bounded, as JSON. */

import type { IncomingMessage } from 'node:http'
import { HubError } from '../protocol/error.js'

const DEFAULT_MAX_BYTES = 1024 * 1024

export async function readJson(request: IncomingMessage, maxBytes = DEFAULT_MAX_BYTES): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refuse(request, maxBytes)
  const text = new TextDecoder().decode(await readBytes(request, maxBytes))
  if (text === '') return {}
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new HubError(
      'request_invalid',
      'The body is not JSON. Send JSON with "content-type: application/json".',
    )
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new HubError('request_invalid', 'The body is not valid JSON. Correct its syntax.', {}, { cause })
  }
}

/** From Node's own events: a web stream around them takes longer than all the rest of a small request. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= maxBytes) return void chunks.push(chunk)
      request.off('data', take)
      reject(refuse(request, maxBytes))
    }
    request.on('data', take)
    request.on('end', () => {
      // It closes later in any case, and an error is costly to make.
      request.off('close', cut)
      resolve(Buffer.concat(chunks))
    })
    const cut = () =>
      reject(new HubError('request_invalid', 'The connection was closed before the end of the body.'))
    if (request.destroyed) cut()
    request.on('error', cut)
    request.on('close', cut)
  })
}

/** The rest is thrown away as it comes: who is still sending would not hear why. */
function refuse(request: IncomingMessage, maxBytes: number): HubError {
  request.resume()
  return new HubError('body_too_large', `The body is larger than ${maxBytes} bytes.`, { maxBytes })
}
