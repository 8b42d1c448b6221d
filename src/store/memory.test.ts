import { ids } from '../../test/support/build.js'
import { createMemoryStore } from './memory.js'
import { storeSuite } from './store-suite.js'

storeSuite('memory', async () => createMemoryStore({ newId: () => ids.next('evt') }))
