/** Serialises events for the connections of readers. Each is serialised once, for all its readers. */

import type { Published } from '../../journal/journal.js'

/** `seq`: its number in its session. `position`: its place among all events. */
export type CursorKind = 'seq' | 'position'

export interface Format {
  encoding: 'sse' | 'websocket'
  cursor: CursorKind
}

const made = new Map<string, WeakMap<Published, Buffer>>()

export function frameOf(item: Published, format: Format): Buffer {
  const key = `${format.encoding} ${format.cursor}`
  const known = made.get(key) ?? new WeakMap<Published, Buffer>()
  made.set(key, known)
  const ready = known.get(item)
  if (ready) return ready
  const frame = frameOfAll([item.event], item, format)
  known.set(item, frame)
  return frame
}

/** An event translated for a subscriber, which may give no values or several. */
export function frameOfAll(values: readonly object[], item: Published, { encoding, cursor }: Format): Buffer {
  const place = cursorOf(item, cursor)
  return encoding === 'sse' ? sseFrame(values, place) : webSocketFrames(values, place)
}

/** Values before the first event of a stream: there is no cursor to resume from yet. */
export function frameWithoutPlace(values: readonly object[], { encoding }: Format): Buffer {
  return encoding === 'sse' ? sseFrame(values, null) : webSocketFrames(values, null)
}

/** Null for a fragment, which has no place. */
function cursorOf({ position, event }: Published, kind: CursorKind): number | null {
  if (kind === 'position') return position ?? null
  return 'seq' in event ? event.seq : null
}

/** The cursor comes with the last part: a subscriber that resumes from there has had them all. */
function sseFrame(values: readonly object[], place: number | null): Buffer {
  const parts = values.map((value, index) => {
    const id = place !== null && index === values.length - 1 ? `id: ${place}\n` : ''
    return `${id}data: ${JSON.stringify(value)}\n\n`
  })
  return Buffer.from(parts.join(''))
}

export function sseGap(gap: { after: number; next: number }): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify(gap)}\n\n`)
}

function webSocketFrames(values: readonly object[], place: number | null): Buffer {
  const messages = values.map((event, index) => ({
    type: 'event',
    cursor: index === values.length - 1 ? place : null,
    event,
  }))
  return Buffer.concat(messages.map(webSocketFrame))
}

/** One unmasked text frame, as a server sends it. */
export function webSocketFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const { length } = body
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), body])
  if (length < 65_536) {
    const head = Buffer.from([0x81, 126, 0, 0])
    head.writeUInt16BE(length, 2)
    return Buffer.concat([head, body])
  }
  const head = Buffer.alloc(10)
  head.set([0x81, 127])
  head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, body])
}
