import { describe } from 'vitest'
import { linkSuite } from './link-suite.js'
import { createMemoryLink } from './memory.js'

describe('a link in one process', () => {
  linkSuite(async (hub) => createMemoryLink(hub))
})
