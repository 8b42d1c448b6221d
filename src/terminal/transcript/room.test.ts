import { expect, test } from 'vitest'
import { hasRoom } from './room.js'

test('the import leaves room on the disk, and asks nothing where there is none', () => {
  const gigabyte = 1 << 30
  expect(hasRoom('/home', 100, () => gigabyte + 200)).toBe(true)
  expect(hasRoom('/home', 100, () => gigabyte + 199)).toBe(false)
  expect(hasRoom(undefined, 100, () => 0)).toBe(true)
})
