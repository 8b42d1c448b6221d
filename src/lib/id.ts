/**
 * Sortable ids: a prefix and the 128 bits of a UUIDv7 in Crockford's base 32, so that an id can be given to the CLI
 * as a UUID and be found again from it. Browser-safe.
 */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export interface IdSource {
  /** A new id, greater than every earlier one from this source. */
  next(prefix: string): string
  /** From now on ids are greater than this one too: lists are ordered by id, also when the clock was set back. */
  continueAfter(id: string): void
}

export function createIdSource(now: () => number = Date.now): IdSource {
  let lastTime = 0
  let counter = 0
  return {
    continueAfter(id) {
      const time = Number.parseInt(uuidOf(id).replaceAll('-', '').slice(0, 12), 16)
      if (time < lastTime || Number.isNaN(time)) return
      lastTime = time + 1
      counter = 0
    },
    next(prefix) {
      const time = Math.max(now(), lastTime)
      // Twelve bits of counter keep the order of ids made within one millisecond; past them time is moved on.
      counter = time === lastTime ? counter + 1 : 0
      lastTime = counter > 0xfff ? time + 1 : time
      if (counter > 0xfff) counter = 0
      return `${prefix}_${encode(uuidBits(lastTime, counter))}`
    },
  }
}

const pool = new BigUint64Array(256)
let taken = pool.length

/** Asking for many at once is much quicker than asking for each. */
function randomBits(): bigint {
  if (taken === pool.length) {
    crypto.getRandomValues(pool)
    taken = 0
  }
  return pool[taken++] ?? 0n
}

function uuidBits(time: number, counter: number): bigint {
  const random = randomBits()
  const high = (BigInt(time) << 16n) | 0x7000n | BigInt(counter)
  const low = (0b10n << 62n) | (random >> 2n)
  return (high << 64n) | low
}

function encode(bits: bigint): string {
  let text = ''
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += ALPHABET[Number((bits >> shift) & 31n)]
  return text
}

/** The UUID inside an id. */
export function uuidOf(id: string): string {
  let bits = 0n
  for (const letter of id.slice(id.indexOf('_') + 1)) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(letter))
  return bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The id with this UUID inside; null if it is not a UUID. */
export function idOfUuid(prefix: string, uuid: string): string | null {
  const hex = uuid.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(hex)) return null
  return `${prefix}_${encode(BigInt(`0x${hex}`))}`
}
