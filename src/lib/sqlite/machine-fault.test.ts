import { constants } from 'node:os'
import { expect, test } from 'vitest'
import { machineFaultOf } from './machine-fault.js'

const failed = (errno: number, code: string) => Object.assign(new Error('write'), { errno: -errno, code })
const { errno } = constants

test.each([
  ['full', failed(errno.ENOSPC, 'ENOSPC')],
  // As Node 20 reports it.
  ['full', failed(errno.EDQUOT, 'UNKNOWN')],
  ['read_only', failed(errno.EROFS, 'EROFS')],
  ['input_output', failed(errno.EIO, 'EIO')],
  [null, failed(1_234, 'UNKNOWN')],
])('a write that fails is %s (%o)', (fault, error) => {
  expect(machineFaultOf(error)).toBe(fault)
})
