/** Writes DER, as far as certificates need it. Nothing is parsed here. */

/** One element: its tag, its length, its content. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits: number[] = []
  for (let left = length; left > 0; left = Math.floor(left / 256)) digits.unshift(left % 256)
  return Buffer.from([0x80 | digits.length, ...digits])
}

export const sequence = (...parts: readonly Buffer[]) => element(0x30, ...parts)
export const set = (...parts: readonly Buffer[]) => element(0x31, ...parts)
export const octets = (content: Buffer) => element(0x04, content)
export const utf8 = (text: string) => element(0x0c, Buffer.from(text))
export const boolean = (value: boolean) => element(0x01, Buffer.from([value ? 0xff : 0]))
/** `unused`: bits of the last byte that do not count. */
export const bits = (content: Buffer, unused = 0) => element(0x03, Buffer.from([unused]), content)
/** Constructed, such as `[0] EXPLICIT`. */
export const tagged = (number: number, ...parts: readonly Buffer[]) => element(0xa0 | number, ...parts)
/** Primitive, such as a name in `subjectAltName`. */
export const taggedValue = (number: number, content: Buffer) => element(0x80 | number, content)

/** A positive integer from its bytes, big end first. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first)
  // A first bit of 1 would mean a negative number.
  return element(0x02, (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits)
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

/** Up to 2049 as UTCTime, later as GeneralizedTime, as RFC 5280 says. */
export function time(at: number): Buffer {
  const text = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
  return new Date(at).getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(text.slice(2)))
    : element(0x18, Buffer.from(text))
}
